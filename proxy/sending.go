package proxy

import (
	"time"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/tools"
)

// sending is what a provider has answered last in the history that a request goes on from:
// the agent's own, or its parent's at a fork's first request.
type sending struct {
	from   string // whose: an agent's id
	head   prefix.Head
	branch prefix.Branch
	last   *agents.Sending
}

// remind tells the index of what was sent, where this process does not know it: it has
// started since, another one served the agent, or the index has let go of it. What was sent
// to another provider or model is told as such.
func (e *exchange) remind(s sending) {
	if s.last == nil {
		return
	}
	scope := reuse.Scope{Tenant: e.key.Tenant, Provider: s.last.Provider, Model: s.last.Model}
	n := min(s.last.Len, s.branch.Len())
	if e.index.Holds(scope, e.hashed(s.head, s.branch.Cut(n), s.from)) {
		return
	}
	path, then := e.hashed(s.head, s.branch, s.from), time.UnixMilli(s.last.At)
	went := path.Cut(n)
	if s.last.Provider == e.Provider.Name {
		went = went.Marked(e.breakpoints(s.last.Model, went, s.head, s.branch.Cut(n)))
	}
	e.index.Add(scope, went, reuse.Sent{Lineage: s.from, Answered: true, Tokens: reported(s.last.Prompt)}, then)
	if s.last.Through > 0 && n < s.branch.Len() && s.branch.At(n).Origin == prefix.OriginAnswer {
		e.index.Add(scope, path.Cut(n+1), reuse.Sent{Lineage: s.from, Answered: true, Output: true, Tokens: reported(s.last.Through)}, then)
	}
	repairs := e.branches.get(e.key).repairs
	e.branches.keep(kept{key: e.key, branch: s.branch, head: s.head, path: path, repairs: repairs})
}

func reported(tokens int64) prefix.Count { return prefix.Count{N: tokens, Known: tokens > 0} }

// sent is the step's request, once it was answered.
func (e *exchange) sent(answer *tools.Answer, message []byte) *agents.Sending {
	usage := e.measure.usage
	s := &agents.Sending{
		At:       e.measure.sent.UnixMilli(),
		Provider: e.Provider.Name,
		Model:    e.info.Model,
		Len:      e.branch.Len(),
		Prompt:   usage.Prompt.N,
	}
	if !answer.Cut() { // else its calls are not in the message
		s.Through = usage.Through(message, e.Provider.KeepReasoning).N
	}
	return s
}

// upTo is what is left of the last sending when only the first n entries stand.
func upTo(last *agents.Sending, n int) *agents.Sending {
	if last == nil || n > last.Len {
		return last
	}
	cut := *last
	cut.Through = 0
	if n < last.Len {
		cut.Len, cut.Prompt = n, 0
	}
	return &cut
}
