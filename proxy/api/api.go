package api

import (
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"trunkline/agents"
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
