package proxy

import (
	"net/http"
	"time"

	"trunkline/prefix"
)

// agentPrefix is GET /agents/{id}/prefix: the last request of the agent that this process
// sent, explained.
func (s *Server) agentPrefix(tenant string, r *http.Request, out *reply) error {
	if err := query(r, nil); err != nil {
		return err
	}
	snap, err := s.pathAgent(tenant, r)
	if err != nil {
		return err
	}
	a := s.accounts.of(snap.Key, snap.Agent)
	if a == nil {
		return &Error{Status: 404, Code: "not_measured", Message: "this process has measured no request of the agent since it started"}
	}
	return answer(out, 200, a.explained())
}

// accounted is a provider request that was measured.
type accounted struct {
	sent time.Time
	info StepInfo
}

// explained is the account as the API tells it.
func (a *accounted) explained() any {
	type part struct {
		Cause   prefix.Cause `json:"cause"`
		Segment optional     `json:"segment"`
		Name    optional     `json:"name"`
		Item    int          `json:"item"`
		Path    optional     `json:"path"`
		Offset  int64        `json:"offset"`
		Within  int          `json:"within_bytes"`
		Changed int          `json:"changed_bytes"`
	}
	type tokens struct {
		Prompt   int64        `json:"prompt"`
		Shared   int64        `json:"shared"`
		Expected int64        `json:"expected"`
		Reported prefix.Count `json:"reported"`
	}
	type loss struct {
		Cause  prefix.Cause `json:"cause"`
		Tokens int64        `json:"tokens"`
	}
	i := &a.info
	losses := make([]loss, len(i.Reuse.Losses))
	for n, l := range i.Reuse.Losses {
		losses[n] = loss(l)
	}
	e := struct {
		ID        string         `json:"id"`
		Sent      string         `json:"sent_at"`
		Provider  string         `json:"provider"`
		Model     string         `json:"model"`
		Relation  Relation       `json:"relation"`
		Status    int            `json:"status"`
		Completed bool           `json:"completed"`
		TTFT      int64          `json:"ttft_ms"`
		Took      int64          `json:"took_ms"`
		Bytes     int64          `json:"total_bytes"`
		Shared    int64          `json:"shared_bytes"`
		Break     part           `json:"break"`
		Usage     prefix.Usage   `json:"usage"`
		Tokens    *tokens        `json:"tokens"` // null unless completed
		Losses    []loss         `json:"losses"`
		Cause     prefix.Cause   `json:"cause,omitempty"` // of the largest loss
		Repairs   map[string]int `json:"repairs"`
		Fork      ForkHead       `json:"fork,omitempty"`
	}{
		ID: i.Agent, Sent: timestamp(a.sent.UnixMilli()), Provider: i.Provider, Model: i.Model, Relation: i.Relation,
		Status: i.Status, Completed: i.Completed, TTFT: i.TTFT.Milliseconds(), Took: i.Took.Milliseconds(),
		Bytes: i.Bytes, Shared: i.Shared,
		Break: part{i.Break.Cause, optional(i.Break.Segment), optional(i.Break.Name), i.Break.Item, optional(i.Break.Path()), i.Break.Offset, i.Break.Within, i.Break.Changed},
		Usage: i.Usage, Losses: losses, Repairs: i.Repairs, Fork: i.Fork,
	}
	if e.Repairs == nil {
		e.Repairs = map[string]int{}
	}
	if i.Completed {
		e.Tokens = &tokens{i.Reuse.Prompt, i.Reuse.Shared, i.Reuse.Expected, i.Reuse.Reported}
		e.Cause = i.Reuse.Cause
	}
	return e
}

// reuseState is an account in three figures.
type reuseState struct {
	Prompt int64        `json:"prompt_tokens"`
	Cached prefix.Count `json:"cached_tokens"` // null: the provider did not say
	Cause  prefix.Cause `json:"cause"`
}

func (a *accounted) reuse() *reuseState {
	if a == nil || !a.info.Completed {
		return nil
	}
	return &reuseState{a.info.Reuse.Prompt, a.info.Reuse.Reported, a.info.Reuse.Cause}
}
