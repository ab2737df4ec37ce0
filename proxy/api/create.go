package api

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"

	"trunkline/agents"
)

// createAgent is POST /agents: 201, or 200 when the same was asked before. An id that is
// not given is drawn at random, so a repeat of such a call makes another agent.
func (s *Server) createAgent(w http.ResponseWriter, r *http.Request, tenant string) error {
	var id, parent, mode, kind, driver, label, notify, task, model string
	var toolRules struct {
		Deny []string `json:"deny"`
	}
	err := s.arguments(r, map[string]any{
		"id": &id, "parent_id": &parent, "mode": &mode, "kind": &kind, "driver": &driver, "label": &label,
		"notify": &notify, "task": &task, "model": &model, "tools": &strict{&toolRules},
	})
	if err != nil {
		return err
	}
	for _, c := range []struct{ name, value, allowed string }{
		{"mode", mode, "fork|spawn"},
		{"kind", kind, "continuable|one-shot"},
		{"driver", driver, "client|hosted"},
		{"notify", notify, "settled|none"},
	} {
		if c.value != "" && !slices.Contains(strings.Split(c.allowed, "|"), c.value) {
			return invalid(c.name, "is "+strings.ReplaceAll(c.allowed, "|", " or "))
		}
	}
	if id == "" {
		id = strings.ToLower(rand.Text())
	}
	switch {
	case agents.CheckID(id) != nil:
		return invalid("id", agents.ErrBadID.Error())
	case parent != "" && agents.CheckID(parent) != nil:
		return invalid("parent_id", agents.ErrBadID.Error())
	case parent == id:
		return invalid("parent_id", "an agent cannot be its own parent")
	case parent == "" && mode != "":
		return invalid("mode", "a root has none; a child needs parent_id")
	case driver == "hosted":
		return invalid("driver", "hosted agents are not served by this proxy")
	case task != "":
		return invalid("task", "is for hosted agents; the client of a client-driven one sends it with its first request")
	case model != "":
		return invalid("model", "is for hosted agents; the client of a client-driven one names it in each request")
	}
	if err := agents.CheckLabel(label); err != nil {
		return invalid("label", err.Error())
	}
	snap, fresh, err := s.Agents.Create(r.Context(), agents.Key{Tenant: tenant, ID: id}, agents.Identity{
		Parent: parent, Mode: agents.Mode(mode), Kind: agents.Kind(kind), Label: label,
		Notify: agents.Notify(notify), Deny: toolRules.Deny,
	})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
		w.Header().Set("Location", "/agents/"+id)
	}
	return s.answerState(r.Context(), w, status, snap)
}

// deleteAgent is DELETE /agents/{id}. What is not there is deleted already.
func (s *Server) deleteAgent(w http.ResponseWriter, r *http.Request, tenant string) error {
	if err := query(r, nil); err != nil {
		return err
	}
	if key, err := agentKey(tenant, r); err == nil {
		if err := s.Agents.Delete(r.Context(), key); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
