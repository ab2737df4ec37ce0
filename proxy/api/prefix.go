package api

import (
	"net/http"

	"trunkline/prefix"
)

// agentPrefix is GET /agents/{id}/prefix: the last request of the agent that this process
// sent, explained.
func (s *Server) agentPrefix(w http.ResponseWriter, r *http.Request, tenant string) error {
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
	return answer(w, 200, a.explained())
}

// explained is the account as the API tells it.
func (a *Request) explained() any {
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
	losses := make([]loss, len(a.Reuse.Losses))
	for n, l := range a.Reuse.Losses {
		losses[n] = loss(l)
	}
	e := struct {
		ID        string         `json:"id"`
		Sent      string         `json:"sent_at"`
		Provider  string         `json:"provider"`
		Model     string         `json:"model"`
		Relation  string         `json:"relation"`
		Status    int            `json:"status"`
		Completed bool           `json:"completed"`
		Failed    string         `json:"failed,omitempty"` // how, unless completed
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
		Fork      string         `json:"fork,omitempty"`
	}{
		ID: a.Agent, Sent: timestamp(a.Sent.UnixMilli()), Provider: a.Provider, Model: a.Model, Relation: a.Relation,
		Status: a.Status, Completed: a.Completed, Failed: a.failed(), TTFT: a.TTFT.Milliseconds(), Took: a.Took.Milliseconds(),
		Bytes: a.Bytes, Shared: a.Shared,
		Break: part{a.Break.Cause, optional(a.Break.Segment), optional(a.Break.Name), a.Break.Item, optional(a.Break.Path()), a.Break.Offset, a.Break.Within, a.Break.Changed},
		Usage: a.Usage, Losses: losses, Repairs: a.Repairs, Fork: a.Fork,
	}
	if e.Repairs == nil {
		e.Repairs = map[string]int{}
	}
	if a.Completed {
		e.Tokens = &tokens{a.Reuse.Prompt, a.Reuse.Shared, a.Reuse.Expected, a.Reuse.Reported}
		e.Cause = a.Reuse.Cause
	}
	return e
}

// reuseState is an account in three figures.
type reuseState struct {
	Prompt int64        `json:"prompt_tokens"`
	Cached prefix.Count `json:"cached_tokens"` // null: the provider did not say
	Cause  prefix.Cause `json:"cause"`
}

func (a *Request) reuse() *reuseState {
	if a == nil || !a.Completed {
		return nil
	}
	return &reuseState{a.Reuse.Prompt, a.Reuse.Reported, a.Reuse.Cause}
}
