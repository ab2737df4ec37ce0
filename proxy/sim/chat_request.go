package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

var chatRoles = []string{"system", "developer", "user", "assistant", "tool"}

type chatBody struct {
	Model         string
	Messages      []json.RawMessage
	Tools         []json.RawMessage
	Stream        bool
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`

	CacheSalt          string          `json:"cache_salt"`
	ReasoningEffort    json.RawMessage `json:"reasoning_effort"`
	Thinking           json.RawMessage
	ChatTemplateKwargs json.RawMessage `json:"chat_template_kwargs"`
	ResponseFormat     json.RawMessage `json:"response_format"`
}

type chatMessage struct {
	Role             string
	Name             string
	Content          json.RawMessage
	ReasoningContent string `json:"reasoning_content"`
	Reasoning        string
	ToolCallID       string     `json:"tool_call_id"`
	ToolCalls        []chatCall `json:"tool_calls"`
}

type chatCall struct {
	ID       string
	Function struct{ Name, Arguments string }
}

// parse reads a chat completions body into r.
func (p chat) parse(r *Request) error {
	var b chatBody
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return err
	}
	if b.Model == "" {
		return errors.New("you must provide a model parameter")
	}
	if len(b.Messages) == 0 {
		return errors.New("messages: expected a non-empty array")
	}
	r.Model, r.Tools, r.Stream, r.salt = b.Model, b.Tools, b.Stream, b.CacheSalt
	r.includeUsage = b.StreamOptions != nil && b.StreamOptions.IncludeUsage
	r.options = rendered(option{"reasoning_effort", b.ReasoningEffort}, option{"thinking", b.Thinking},
		option{"chat_template_kwargs", b.ChatTemplateKwargs}, option{"response_format", b.ResponseFormat})
	r.Items = make([]Item, len(b.Messages))
	for i, raw := range b.Messages {
		it, err := chatItem(raw)
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		r.Items[i] = it
	}
	if p.lenient {
		return nil
	}
	return checkPairing(r.Items)
}

func chatItem(raw json.RawMessage) (Item, error) {
	var m chatMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return Item{}, err
	}
	if !slices.Contains(chatRoles, m.Role) {
		return Item{}, fmt.Errorf("invalid role %q", m.Role)
	}
	text, err := contentText(m.Content)
	if err != nil {
		return Item{}, fmt.Errorf("content: %w", err)
	}
	it := Item{Role: m.Role, Name: m.Name, Text: text, Reasoning: m.ReasoningContent, CallID: m.ToolCallID, Raw: raw, markers: markersOf(m.Content)}
	if it.Reasoning == "" {
		it.Reasoning = m.Reasoning
	}
	for _, c := range m.ToolCalls {
		it.Calls = append(it.Calls, Call{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return it, nil
}

// option is a parameter that templates render.
type option struct {
	name  string
	value json.RawMessage
}

// rendered leaves out the options that are absent or null.
func rendered(options ...option) []string {
	var out []string
	for _, o := range options {
		if len(o.value) > 0 && string(o.value) != "null" {
			out = append(out, o.name+"="+string(o.value))
		}
	}
	return out
}
