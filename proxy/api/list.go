package api

import (
	"net/http"
	"strconv"

	"trunkline/agents"
)

// The size of a page when the client names none, and the largest.
const (
	defaultPage = 100
	maxPage     = 1000
)

// pageSize reads the parameter limit.
func pageSize(limit string) (int, error) {
	if limit == "" {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(limit)
	if err != nil || n < 1 || n > maxPage {
		return 0, invalid("limit", "want a number from 1 to "+strconv.Itoa(maxPage))
	}
	return n, nil
}

// listAgents is GET /agents: everything, one tree, or what is below one agent, in
// pre-order.
func (s *Server) listAgents(w http.ResponseWriter, r *http.Request, tenant string) error {
	var scope, limit string
	q := agents.Query{Tenant: tenant}
	err := query(r, map[string]*string{"root": &q.Root, "parent": &q.Parent, "scope": &scope, "limit": &limit, "cursor": &q.Cursor})
	if err != nil {
		return err
	}
	switch agents.Scope(scope) {
	case "", agents.Descendants:
		q.Scope = agents.Descendants
	case agents.Children:
		q.Scope = agents.Children
	default:
		return invalid("scope", "is children or descendants")
	}
	for _, id := range []string{q.Root, q.Parent} {
		if id != "" && agents.CheckID(id) != nil {
			return agents.ErrNotFound
		}
	}
	if q.Limit, err = pageSize(limit); err != nil {
		return err
	}
	page, next, err := s.Agents.Page(r.Context(), q)
	switch {
	case isNotFound(err) && q.Root != "" && q.Parent == "":
		return &Error{Status: 404, Code: "unknown_agent", Param: "root", Message: "root: there is no such root among the agents of this credential"}
	case err != nil:
		return err
	}
	var readable []*agents.Agent
	for _, a := range page {
		if a.Diagnostic == "" {
			readable = append(readable, a.Agent)
		}
	}
	states, err := s.states(r.Context(), tenant, readable...)
	if err != nil {
		return err
	}
	data := make([]any, 0, len(page))
	for _, a := range page {
		if a.Diagnostic != "" {
			data = append(data, diagnosis{a.ID, a.Diagnostic})
			continue
		}
		data, states = append(data, states[0]), states[1:]
	}
	return answer(w, 200, struct {
		Data []any    `json:"data"`
		Next optional `json:"next_cursor"`
	}{data, optional(next)})
}
