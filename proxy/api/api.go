package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/tools"
)

// call answers one call of /agents about the agents of a tenant, or returns why not,
// before anything is written.
type call func(s *Server, w http.ResponseWriter, r *http.Request, tenant string) error

// routes is what is served under /agents: path → method → call.
var routes = map[string]map[string]call{
	"/agents":                   {"GET": (*Server).listAgents, "POST": (*Server).createAgent},
	"/agents/{id}":              {"GET": (*Server).showAgent, "DELETE": (*Server).deleteAgent},
	"/agents/{id}/messages":     {"POST": (*Server).postMessage},
	"/agents/{id}/prompts":      {"POST": (*Server).postPrompt},
	"/agents/{id}/interrupt":    {"POST": (*Server).postInterrupt},
	"/agents/{id}/tool_outputs": {"POST": (*Server).postToolOutputs},
	"/agents/{id}/wait":         {"GET": (*Server).waitAgent},
	"/agents/{id}/events":       {"GET": (*Server).agentEvents},
	"/agents/{id}/transcript":   {"GET": (*Server).agentTranscript},
	"/agents/{id}/prefix":       {"GET": (*Server).agentPrefix},
	"/agents/":                  {}, // nothing below is ever the provider's
}

// Routes is what Serve serves: path, as a pattern of an [http.ServeMux] → methods, sorted.
func Routes() map[string][]string {
	out := map[string][]string{}
	for path, calls := range routes {
		out[path] = slices.Sorted(maps.Keys(calls))
	}
	return out
}

// Serve answers a request to one of Routes about the agents of a tenant, or returns why not:
// an *Error, or what went wrong at the store or with the request's body. The headers are out
// by then only where a stream of events fails.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, tenant string) error {
	calls := routes[r.Pattern]
	call := calls[r.Method]
	switch {
	case len(calls) == 0:
		return &Error{Status: 404, Code: "unknown_path", Message: "the agents API has no " + r.URL.Path}
	case call == nil:
		allowed := slices.Sorted(maps.Keys(calls))
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &Error{Status: 405, Code: "method_not_allowed", Message: r.URL.Path + " takes " + strings.Join(allowed, " and ")}
	}
	// A web page can send other types without being asked for leave first.
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); r.Method == "POST" && t != "application/json" {
		return &Error{Status: 415, Code: "not_json", Param: "Content-Type", Message: "Content-Type: want application/json"}
	}
	return failure(call(s, w, r, tenant))
}

// agentKey names the agent that the request's path names. An id that none can have is
// unknown.
func agentKey(tenant string, r *http.Request) (agents.Key, error) {
	id := r.PathValue("id")
	if agents.CheckID(id) != nil {
		return agents.Key{}, agents.ErrNotFound
	}
	return agents.Key{Tenant: tenant, ID: id}, nil
}

// pathAgent reads that agent.
func (s *Server) pathAgent(tenant string, r *http.Request) (agents.Snapshot, error) {
	key, err := agentKey(tenant, r)
	if err != nil {
		return agents.Snapshot{}, err
	}
	return s.Agents.Load(r.Context(), key)
}

// invalid refuses an argument of a call.
func invalid(param, why string) *Error {
	message := why
	if param != "" {
		message = param + ": " + why
	}
	return &Error{Status: 400, Code: "invalid_request", Param: param, Message: message}
}

// arguments reads the request's body, one JSON object, into fields by name. A member that
// is null is absent. Any other member is an error: what a call does not know it would not
// do.
func (s *Server) arguments(r *http.Request, fields map[string]any) error {
	raw, release, err := s.Body(r)
	if err != nil {
		return err
	}
	defer release()
	members, err := prefix.Members(raw)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, m := range members {
		field, known := fields[m.Name]
		switch {
		case !known:
			return invalid(m.Name, "is not an argument of this call")
		case seen[m.Name]:
			return &prefix.DuplicateKeyError{Key: m.Name, Offset: m.Key.Start}
		}
		seen[m.Name] = true
		if err := json.Unmarshal(m.Value.Of(raw), field); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return invalid(m.Name, fmt.Sprintf("want a %s, got a %s", wrong.Type, wrong.Value))
			}
			return invalid(m.Name, err.Error())
		}
	}
	return nil
}

// query reads the request's query into fields by name.
func query(r *http.Request, fields map[string]*string) error {
	values, err := parseQuery(r)
	if err != nil {
		return err
	}
	for name, v := range values {
		field, known := fields[name]
		switch {
		case !known:
			return invalid(name, "is not a parameter of this call")
		case len(v) > 1:
			return invalid(name, "given more than once")
		}
		*field = v[0]
	}
	return nil
}

// answer writes a value as the whole response.
func answer(w http.ResponseWriter, status int, v any) error {
	body, err := encodeJSON(v)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err = w.Write(append(body, '\n'))
	return err
}

// failure says what is wrong with agents to those who speak of them in bodies and paths.
func failure(err error) error {
	var (
		refused  *agents.RefusedError
		mismatch *agents.MismatchError
	)
	switch {
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.As(err, &mismatch):
		return &Error{Status: 409, Code: "agent_exists", Param: "id", Message: mismatch.Error()}
	case errors.Is(err, agents.ErrUnknownParent):
		return &Error{Status: 404, Code: "unknown_parent", Param: "parent_id", Message: "parent_id: there is no such agent among those of this credential"}
	case errors.Is(err, agents.ErrNotFound):
		return &Error{Status: 404, Code: "unknown_agent", Message: "there is no such agent among those of this credential"}
	case errors.Is(err, agents.ErrUnreadable):
		return &Error{Status: 500, Code: "unreadable_record", Message: "the agent's record cannot be read"}
	case errors.Is(err, agents.ErrBadCursor):
		return invalid("cursor", err.Error())
	}
	return err
}

// refusal says why a message was not taken, as the tool says it to a model.
func refusal(r *agents.RefusedError) *Error {
	e := &Error{Status: 403, Code: string(r.Reason), Message: r.Text}
	switch r.Reason {
	case agents.Unknown:
		e.Status, e.Code, e.Message = 404, "unknown_agent", tools.Unknown(r.Target, r.Tree)
	case agents.NotLive, agents.Stale:
		e.Status = 409
	case agents.TooLong:
		e.Status, e.Param = 413, "message"
	case agents.InboxFull:
		e.Status = 429
	case agents.Malformed:
		e.Status, e.Param = 400, "message"
	}
	return e
}
