package proxy

import (
	"context"
	_ "embed"
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
	Relation Relation     `json:"relation"`
	Status   int          `json:"status"`
	TTFT     int64        `json:"ttft_ms"`
	Prompt   int64        `json:"prompt_tokens"`
	Reused   prefix.Count `json:"reused_tokens"` // null: the provider did not say
	Expected int64        `json:"expected_tokens"`
	Lost     int64        `json:"lost_tokens"`
	Cause    prefix.Cause `json:"cause"`
	Break    string       `json:"break,omitempty"` // where the prompt left what was sent before
	Fork     ForkHead     `json:"fork,omitempty"`
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

// status is GET /status: everybody's latest requests. It is the operator's: with keys it
// needs the scope admin, and without them every local process counts as the operator.
func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	out := &reply{w: w, rc: http.NewResponseController(w)}
	if err := s.tellStatus(r, out); err != nil {
		apiError(err).write(w)
	}
}

func (s *Server) tellStatus(r *http.Request, out *reply) error {
	if refused := s.guard(r); refused != nil {
		return refused
	}
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
	st := Status{Provider: s.Provider.Name, Agents: []StatusAgent{}, Requests: []StatusRequest{}}
	for _, x := range s.recent.since(seq) {
		st.Requests = append(st.Requests, x.status())
	}
	var err error
	if st.Agents, err = s.busy(r.Context()); err != nil {
		return err
	}
	return answer(out, http.StatusOK, st)
}

// busy reads the agents of the latest requests, and those that they came from.
func (s *Server) busy(ctx context.Context) ([]StatusAgent, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	found := []StatusAgent{}
	known := map[agents.Key]bool{}
	latest := s.recent.since(0)
	for i := len(latest) - 1; i >= 0; i-- {
		for key := latest[i].key; key.ID != "" && !known[key] && len(known) < maxStatusAgents; {
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
	i := &x.info
	r := StatusRequest{
		Seq: x.seq, Sent: timestamp(x.sent.UnixMilli()), Tenant: x.key.Tenant, Agent: x.key.ID, Model: i.Model, Relation: i.Relation,
		Status: i.Status, TTFT: i.TTFT.Milliseconds(), Cause: i.Break.Cause, Fork: i.Fork,
	}
	if i.Completed {
		r.Prompt, r.Reused, r.Expected, r.Cause = i.Reuse.Prompt, i.Reuse.Reported, i.Reuse.Expected, i.Reuse.Cause
		r.Lost = i.lost()
	}
	if b := i.Break; b.Cause != prefix.CauseNone && b.Segment != "" {
		r.Break = b.Segment
		switch {
		case b.Name != "":
			r.Break += " " + b.Name
		case b.Segment == prefix.SegmentHistory || b.Segment == prefix.SegmentSystem:
			r.Break += " item " + strconv.Itoa(b.Item)
		}
	}
	return r
}

//go:embed page.html
var page []byte

// front is GET /: one page for people, without anything from elsewhere. It is the same
// for everybody; what it shows it asks of /status, under the rules of that.
func (s *Server) front(w http.ResponseWriter, r *http.Request) {
	if refused := s.guard(r); refused != nil {
		refused.write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.Write(page)
}
