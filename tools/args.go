package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The errors of the functions below are read by models, as the why of a failed
// call. Members that a tool does not know are ignored: a call that is clear is
// worth more than one that is tidy.

// errNotObject says that a call's arguments are no JSON object.
var errNotObject = errors.New("the arguments are not one JSON object")

// ParseSendMessage reads the arguments of send_message.
func ParseSendMessage(arguments string) (agentID, message string, err error) {
	a, err := parseArguments(arguments)
	if err != nil {
		return "", "", err
	}
	if agentID, err = a.agentID(); err != nil {
		return "", "", err
	}
	message, err = a.required("message")
	return agentID, message, err
}

// ParseInterruptAgent reads the arguments of interrupt_agent.
func ParseInterruptAgent(arguments string) (agentID string, err error) {
	a, err := parseArguments(arguments)
	if err != nil {
		return "", err
	}
	return a.agentID()
}

// A Scope says how far list_agents looks.
type Scope string

const (
	Children    Scope = "children" // the default
	Descendants Scope = "descendants"
)

// ParseListAgents reads the arguments of list_agents.
func ParseListAgents(arguments string) (Scope, error) {
	a, err := parseArguments(arguments)
	if err != nil {
		return "", err
	}
	scope, err := a.choice("scope", string(Children), string(Descendants))
	return Scope(scope), err
}

// A SubagentCall holds the arguments of subagent.
type SubagentCall struct {
	Description string
	Prompt      string
	Context     string // fork or fresh
}

// ParseSubagent reads the arguments of subagent.
func ParseSubagent(arguments string) (s SubagentCall, err error) {
	a, err := parseArguments(arguments)
	if err != nil {
		return s, err
	}
	if s.Description, err = a.required("description"); err != nil {
		return s, err
	}
	if s.Prompt, err = a.required("prompt"); err != nil {
		return s, err
	}
	s.Context, err = a.choice("context", "fork", "fresh")
	return s, err
}

// arguments maps a member's name → its raw value.
type arguments map[string]json.RawMessage

func parseArguments(s string) (arguments, error) {
	var a arguments
	if err := json.Unmarshal([]byte(s), &a); err != nil || a == nil {
		return nil, errNotObject
	}
	return a, nil
}

// optional returns a field that may be absent or null; then ok is false.
func (a arguments) optional(field string) (s string, ok bool, err error) {
	raw := a[field]
	if raw == nil || string(raw) == "null" {
		return "", false, nil
	}
	if json.Unmarshal(raw, &s) != nil {
		return "", false, fmt.Errorf("%q is not a string", field)
	}
	return s, true, nil
}

// required returns a field that must say something.
func (a arguments) required(field string) (string, error) {
	s, ok, err := a.optional(field)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", fmt.Errorf("%q is missing", field)
	case s == "":
		return "", fmt.Errorf("%q is empty", field)
	}
	return s, nil
}

// agentID returns agent_id, or subagent_id for it: models know the field by
// either name.
func (a arguments) agentID() (string, error) {
	other, ok, err := a.optional("subagent_id")
	if err != nil {
		return "", err
	}
	if id, given, err := a.optional("agent_id"); err != nil || given && ok && id != other {
		if err == nil {
			err = errors.New(`"agent_id" and "subagent_id" differ`)
		}
		return "", err
	} else if !given && ok {
		return a.required("subagent_id")
	}
	return a.required("agent_id")
}

// choice returns a field with one of a few values, the first if it is absent
// or empty.
func (a arguments) choice(field string, values ...string) (string, error) {
	s, _, err := a.optional(field)
	if err != nil {
		return "", err
	}
	if s == "" {
		return values[0], nil
	}
	if slices.Contains(values, s) {
		return s, nil
	}
	return "", fmt.Errorf("%q must be one of %q", field, values)
}
