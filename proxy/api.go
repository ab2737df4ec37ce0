package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/tools"
)

// apiCall answers one call of /agents about the agents of a tenant, or returns why not,
// before anything is written.
type apiCall func(s *Server, tenant string, r *http.Request, out *reply) error

// apiCalls is what is served under /agents: path → method → call.
var apiCalls = map[string]map[string]apiCall{
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

// routeAPI adds the calls to the mux.
func (s *Server) routeAPI() {
	for path, calls := range apiCalls {
		s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.serveAPI(w, r, calls) })
	}
}

// serveAPI answers one request to /agents.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, calls map[string]apiCall) {
	if s.Recorder != nil && r.Method != http.MethodGet {
		var end func(RequestInfo)
		w, r, end = s.recordCall(w, r)
		defer func() { end(RequestInfo{Route: routeAgents, Relation: RelationAnonymous, Outcome: OutcomeOK}) }()
	}
	out := &reply{w: w, rc: http.NewResponseController(w)}
	err := s.callAPI(r, out, calls)
	if err == nil {
		out.end()
		return
	}
	if r.Context().Err() != nil && !errors.Is(err, errStalled) || errors.Is(err, errClientGone) {
		panic(http.ErrAbortHandler)
	}
	failure := apiError(err)
	if failure.Status >= 500 {
		s.Log.Warn("a call of the agents API failed", "method", r.Method, "status", failure.Status, "code", failure.Code, "err", failure.Message)
	}
	if !out.started {
		failure.write(w)
		return
	}
	out.fail(failure)
	panic(http.ErrAbortHandler)
}

func (s *Server) callAPI(r *http.Request, out *reply, calls map[string]apiCall) error {
	if refused := s.guard(r); refused != nil {
		return refused
	}
	call := calls[r.Method]
	switch {
	case len(calls) == 0:
		return &Error{Status: 404, Code: "unknown_path", Message: "the agents API has no " + r.URL.Path}
	case call == nil:
		var allowed []string
		for method := range calls {
			allowed = append(allowed, method)
		}
		slices.Sort(allowed)
		out.w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &Error{Status: 405, Code: "method_not_allowed", Message: r.URL.Path + " takes " + strings.Join(allowed, " and ")}
	}
	// A web page can send other types without being asked for leave first.
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); r.Method == "POST" && t != "application/json" {
		return &Error{Status: 415, Code: "not_json", Param: "Content-Type", Message: "Content-Type: want application/json"}
	}
	return call(s, s.tenant(r), r, out)
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
	raw, release, err := s.readBody(r)
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
func answer(out *reply, status int, v any) error {
	body, err := encodeJSON(v)
	if err != nil {
		return err
	}
	h := out.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	out.extend()
	out.started = true
	out.w.WriteHeader(status)
	return out.write(append(body, '\n'))
}

// apiError is asError for those who speak of agents in bodies and paths, not in headers.
func apiError(err error) *Error {
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
	return asError(err)
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
