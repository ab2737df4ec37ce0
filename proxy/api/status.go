package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"trunkline/agents"
	"trunkline/prefix"
)

// StatusRequest is one measured request as /status tells it. Tokens are those of the
// prompt: Reused and New are disjoint parts of it, Lost is the part of New that should
// have been reused.
type StatusRequest struct {
	Seq      uint64       `json:"seq"`
	Sent     string       `json:"sent_at"`
	Tenant   string       `json:"tenant,omitempty"` // whose the agent is
	Agent    string       `json:"agent,omitempty"`
	Model    string       `json:"model"`
	Relation string       `json:"relation"`
	Status   int          `json:"status"`
	TTFT     int64        `json:"ttft_ms"`
	Prompt   int64        `json:"prompt_tokens"`
	Reused   prefix.Count `json:"reused_tokens"` // null: the provider did not say
	Expected int64        `json:"expected_tokens"`
	Lost     int64        `json:"lost_tokens"`
	Cause    prefix.Cause `json:"cause"`            // of the largest loss
	Failed   string       `json:"failed,omitempty"` // how it ended without a whole answer; its tokens are 0 then
	// Where the prompt left what was sent before, and why; "" when it did not, and when the
	// provider did not take it.
	Break      string       `json:"break,omitempty"`
	BreakCause prefix.Cause `json:"break_cause,omitempty"`
	Fork       string       `json:"fork,omitempty"`
}

// StatusAgent is one agent as /status tells it. Its id is its own within its tenant only.
type StatusAgent struct {
	Tenant string        `json:"tenant"`
	ID     string        `json:"id"`
	Parent string        `json:"parent_id,omitempty"`
	Label  string        `json:"label,omitempty"`
	Mode   agents.Mode   `json:"mode"`
	Status agents.Status `json:"status"`
	Turn   uint64        `json:"turn"`
	Inbox  int           `json:"inbox"`
}

// Status is what the operator sees: the agents that were busy lately, and the latest
// requests behind a sequence number, oldest first.
type Status struct {
	Provider string          `json:"provider"`
	Agents   []StatusAgent   `json:"agents"`
	Requests []StatusRequest `json:"requests"`
}

// maxStatusAgents bounds the agents of one status: each is a look into the store.
const maxStatusAgents = 100

// Status is GET /status: everybody's latest requests. It is the operator's.
func (s *Server) Status(w http.ResponseWriter, r *http.Request) error {
	var after string
	if err := query(r, map[string]*string{"after": &after}); err != nil {
		return err
	}
	var seq uint64
	if after != "" {
		n, err := strconv.ParseUint(after, 10, 64)
		if err != nil {
			return invalid("after", "want a sequence number")
		}
		seq = n
	}
	st := Status{Provider: s.Provider, Agents: []StatusAgent{}, Requests: []StatusRequest{}}
	for _, x := range s.recent.since(seq) {
		st.Requests = append(st.Requests, x.status())
	}
	var err error
	if st.Agents, err = s.busy(r.Context()); err != nil {
		return err
	}
	return answer(w, http.StatusOK, st)
}

// busy reads the agents of the latest requests, and those that they came from.
func (s *Server) busy(ctx context.Context) ([]StatusAgent, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	found := []StatusAgent{}
	known := map[agents.Key]bool{}
	latest := s.recent.since(0)
	for i := len(latest) - 1; i >= 0; i-- {
		for key := latest[i].key(); key.ID != "" && !known[key] && len(known) < maxStatusAgents; {
			known[key] = true
			a, err := s.Agents.Load(ctx, key)
			if errors.Is(err, agents.ErrNotFound) || errors.Is(err, agents.ErrUnreadable) {
				break
			} else if err != nil {
				return nil, err
			}
			found = append(found, StatusAgent{key.Tenant, a.ID, a.Parent, a.Label, a.Mode, a.Status, a.Turn, len(a.Inbox)})
			key.ID = a.Parent
		}
	}
	return found, nil
}

func (x seen) status() StatusRequest {
	r := StatusRequest{
		Seq: x.seq, Sent: timestamp(x.Sent.UnixMilli()), Tenant: x.Tenant, Agent: x.Agent, Model: x.Model, Relation: x.Relation,
		Status: x.Status, TTFT: x.TTFT.Milliseconds(), Cause: x.Break.Cause, Failed: x.failed(), Fork: x.Fork,
	}
	if x.Completed {
		r.Prompt, r.Reused, r.Expected, r.Cause = x.Reuse.Prompt, x.Reuse.Reported, x.Reuse.Expected, x.Reuse.Cause
		r.Lost = x.Lost
	}
	if b := x.Break; b.Cause != prefix.CauseNone && b.Segment != "" && x.Taken {
		r.Break, r.BreakCause = b.Segment, b.Cause
		switch {
		case b.Name != "":
			r.Break += " " + b.Name
		case b.Segment == prefix.SegmentHistory || b.Segment == prefix.SegmentSystem:
			r.Break += " item " + strconv.Itoa(b.Item)
		}
	}
	return r
}

// failed says how a request ended that has no whole answer; "" for the others.
func (a *Request) failed() string {
	switch {
	case a.Completed:
		return ""
	case a.Status == 0:
		return "no answer"
	case a.Status/100 != 2:
		return "status " + strconv.Itoa(a.Status)
	}
	return "broken off"
}
