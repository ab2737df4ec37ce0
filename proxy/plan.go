package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"trunkline/agents"
	"trunkline/prefix"
)

// planKind is what a request is to its agent's branch.
type planKind int

const (
	planExtend  planKind = iota // the usual: new items behind the branch, or another end of it
	planResume                  // the same request again, its answer begun: go on from the recorded steps
	planReplay                  // the same request again, its answer complete: give it once more
	planWake                    // nothing new: fetch what is pending
	planExecute                 // recorded calls have no results yet: execute them, then plan again
	planBeside                  // auxiliary or concurrent: beside the branch
)

// errBeside ends a plan whose request stands beside the agent's branch.
var errBeside = errors.New("the request stands beside the agent's branch")

// errReplay ends a plan whose request was answered before: no turn opens for it.
var errReplay = errors.New("the request has its answer")

// plan composes the exchange's next provider request from the client's items, the recorded
// branch and what is pending. It is the one place where a client's history meets ours.
func (e *exchange) plan(ctx context.Context) agents.Plan {
	return func(a *agents.Agent, pending []agents.Pending) (agents.Step, error) {
		p, err := e.align(ctx, a)
		if err != nil {
			return agents.Step{}, err
		}
		if l := a.Lease; l != nil && l.Answered && p.Complete && p.AtRequest {
			// The same request while its answer is still on its way: whether that arrives
			// decides between giving it again and asking anew.
			return agents.Step{}, agents.ErrLeased
		}
		return p.step(pending)
	}
}

// step says what to record before the request is sent.
func (p *alignment) step(pending []agents.Pending) (agents.Step, error) {
	e := p.exchange
	h := p.history
	s := agents.Step{}
	if h.Executing != 0 && p.Keep >= h.Base && !p.regenerates() {
		// The answer's calls come first: their results stand before anything new.
		e.kind = planExecute
		e.use(h, p.branch)
		return agents.Step{History: h, Put: p.put, Prompt: p.prompts()}, nil
	}
	cut := p.branch
	switch {
	case p.Complete && p.AtRequest && !p.regenerates() && h.Whole:
		e.kind = planReplay
		e.use(h, p.branch)
		return s, errReplay
	case p.Complete && p.AtRequest && !p.regenerates():
		e.kind = planResume
	case p.Complete && p.EndsInAnswer:
		e.kind = planWake
		s.Wake = true
	case p.Complete && p.AtRequest:
		cut = p.branch.Cut(p.Keep) // regenerate
	default:
		cut = p.branch.Cut(p.Keep)
	}
	cut = p.settle(cut)
	cut, entries, claimed, returned := p.compose(cut, pending)
	e.noteRepairs(p.Alignment)
	s.Claim, s.Returned, s.Prompt = claimed, returned, p.prompts()
	branch, segment := cut.Append(entries)
	if segment != nil {
		p.put = append(p.put, agents.Blob{ID: segmentBlob(segment.Node()), Data: segment.Encode()})
	}
	if e.kind != planResume {
		h.Base = branch.Len()
	}
	if (cut.Len() < p.branch.Len() || p.Settle != nil) && h.Trimmed == 0 {
		h.Trimmed = time.Now().UnixMilli()
	}
	h.Branch, h.Len, h.Sent = formatRef(branch.Ref()), branch.Len(), branch.Len()
	h.Keeps = p.keeps(cut)
	h.Echoed = min(max(p.Echoed, p.keptEcho()), branch.Len())
	h.Whole, h.Delivered, h.Executing = false, false, 0
	h.Provisional = p.first || p.provisional()
	h.Last = p.stillSent(cut.Len())
	s.History, s.Put = h, p.put
	e.use(h, branch)
	return s, nil
}

// stillSent is the last sending as far as this plan keeps its head and its first n entries.
func (p *alignment) stillSent(n int) *agents.Sending {
	if was := p.agent.History; p.history.Head != was.Head || p.history.HeadOwner != was.HeadOwner {
		return nil
	}
	if p.Settle != nil {
		n = min(n, p.Settle.Index)
	}
	return upTo(p.history.Last, n)
}

// regenerates: the client has the whole answer and asks for another one, or goes back to
// an earlier request.
func (p *alignment) regenerates() bool {
	return p.Complete && p.AtRequest && (p.Keep != p.history.Base || p.history.Whole && p.history.Delivered)
}

// prompts reports whether the request brings a new user item.
func (p *alignment) prompts() bool {
	return slices.ContainsFunc(p.New, func(i prefix.Item) bool { return i.Role == "user" })
}

// keptEcho is what the client had confirmed of a branch that this plan does not cut.
func (p *alignment) keptEcho() int {
	if p.kind == planResume {
		return p.history.Echoed
	}
	return 0
}

// keeps learns from an echo whether the client sends reasoning back.
func (p *alignment) keeps(cut prefix.Branch) string {
	at := p.Echoed - 1
	if p.Settle != nil {
		return "no"
	}
	if p.Echoed <= p.agent.History.Echoed || at >= cut.Len() || at < p.history.Inherited {
		return p.history.Keeps
	}
	if entry := cut.At(at); len(prefix.WithoutReasoning(entry.Item)) != len(entry.Item) {
		return "yes"
	}
	return p.history.Keeps
}

// settle puts the client's echo of the last answer's reasoning in place of ours, where
// that answer was never sent upstream.
func (p *alignment) settle(cut prefix.Branch) prefix.Branch {
	if p.Settle == nil || p.Settle.Index >= cut.Len() {
		return cut
	}
	entries := []prefix.Entry{p.Settle.Entry}
	for _, entry := range cut.All(p.Settle.Index + 1) {
		entries = append(entries, *entry)
	}
	settled, segment := cut.Cut(p.Settle.Index).Append(entries)
	p.put = append(p.put, agents.Blob{ID: segmentBlob(segment.Node()), Data: segment.Encode()})
	return settled
}

// use makes the plan the exchange's own. A plan that is tried again overwrites it.
func (e *exchange) use(h agents.History, branch prefix.Branch) {
	e.history, e.branch = h, branch
}

// blobOf stores a head under its content.
func blobOf(head prefix.Head) agents.Blob {
	data := head.Encode()
	sum := sha256.Sum256(data)
	return agents.Blob{ID: headBlob(hex.EncodeToString(sum[:16])), Data: data}
}
