package api

import (
	"context"
	"net/http"

	"trunkline/agents"
)

// State is what the API says of an agent.
type State struct {
	ID      string        `json:"id"`
	Parent  optional      `json:"parent_id"` // null for a root
	Root    string        `json:"root_id"`
	Mode    agents.Mode   `json:"mode"`
	Kind    agents.Kind   `json:"kind"`
	Driver  agents.Driver `json:"driver"`
	Label   string        `json:"label"`
	Notify  agents.Notify `json:"notify"`
	Status  agents.Status `json:"status"`
	Epoch   uint64        `json:"epoch"`
	Turn    uint64        `json:"turn"`
	Version uint64        `json:"version"` // grows with whatever else here changes
	Inbox   inboxState    `json:"inbox"`
	// Outcome is how the last turn ended, and Closing the answer that ended it, while no
	// further turn is open; null otherwise.
	Outcome optional `json:"outcome"`
	Closing optional `json:"closing_message"`
	Created string   `json:"created_at"`
	// Active is the last sign of life of the agent's client; no part of the version.
	Active string `json:"active_at"`
	// Reuse is of the last request that this process measured; no part of the version.
	Reuse *reuseState `json:"reuse"`
}

// inboxState counts what waits: entries of the next step, and prompts that are turns of
// their own, which only agents have that are not driven by a client.
type inboxState struct {
	NextStep int `json:"next_step"`
	NextTurn int `json:"next_turn"`
}

// diagnosis stands in a list for an agent whose record cannot be read.
type diagnosis struct {
	ID         string `json:"id"`
	Diagnostic string `json:"diagnostic"`
}

// states renders agents, with one look into the store for all closing messages.
func (s *Server) states(ctx context.Context, tenant string, of ...*agents.Agent) ([]State, error) {
	out := make([]State, len(of))
	var refs []agents.BlobRef
	var at []int // index in out of each of refs
	for i, a := range of {
		key := agents.Key{Tenant: tenant, ID: a.ID}
		out[i] = State{
			ID: a.ID, Parent: optional(a.Parent), Root: a.Root, Mode: a.Mode, Kind: a.Kind, Driver: a.Driver,
			Label: a.Label, Notify: a.Notify, Status: a.Status, Epoch: a.Epoch, Turn: a.Turn, Version: a.Activity,
			Inbox: inboxState{NextStep: len(a.Inbox)}, Outcome: optional(a.Outcome),
			Created: timestamp(a.Created), Active: timestamp(a.Alive), Reuse: s.accounts.of(key, a).reuse(),
		}
		if a.Closing != "" {
			refs, at = append(refs, agents.BlobRef{Owner: key, ID: a.Closing}), append(at, i)
		}
	}
	if len(refs) == 0 {
		return out, nil
	}
	texts, err := s.Agents.Store.Blobs(ctx, refs)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		out[at[i]].Closing = optional(text) // one that is missing was dropped by a new turn
	}
	return out, nil
}

// state renders one agent.
func (s *Server) state(ctx context.Context, snap agents.Snapshot) (State, error) {
	all, err := s.states(ctx, snap.Key.Tenant, snap.Agent)
	if err != nil {
		return State{}, err
	}
	return all[0], nil
}

// answerState answers with an agent.
func (s *Server) answerState(ctx context.Context, w http.ResponseWriter, status int, snap agents.Snapshot) error {
	state, err := s.state(ctx, snap)
	if err != nil {
		return err
	}
	return answer(w, status, state)
}

// showAgent is GET /agents/{id}.
func (s *Server) showAgent(w http.ResponseWriter, r *http.Request, tenant string) error {
	if err := query(r, nil); err != nil {
		return err
	}
	snap, err := s.pathAgent(tenant, r)
	if err != nil {
		return err
	}
	return s.answerState(r.Context(), w, 200, snap)
}
