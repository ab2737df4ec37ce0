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
	"trunkline/tools"
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

// alignment is one try of a plan: the agent as it was read, and the client's request
// matched with it.
type alignment struct {
	*exchange
	agent   *agents.Agent
	history agents.History
	branch  prefix.Branch // as recorded
	seen    []prefix.Item // the client's items behind its leading system items
	from    int           // where matching starts
	first   bool          // the agent has no branch of its own yet
	last    prefix.Head   // the head of the agent's last request
	sending sending       // what was sent last of the history that this one goes on from
	prefix.Alignment
	put []agents.Blob
}

// align matches the request with the agent's branch and decides what it is.
func (e *exchange) align(ctx context.Context, a *agents.Agent) (*alignment, error) {
	p := &alignment{exchange: e, agent: a, history: a.History, seen: e.body.Items[e.body.LeadingSystem():]}
	p.first = a.History.Len == a.History.Inherited
	var err error
	if p.first && a.Parent != "" && a.History.ForkHead == "" {
		err = p.inherit(ctx)
	} else {
		p.branch, err = e.branches.load(ctx, e.key, p.history.Owners, p.history.Branch)
		p.sending = sending{from: e.key.ID, branch: p.branch, last: a.History.Last}
	}
	if err != nil {
		return nil, err
	}
	if err := p.resolveHead(ctx); err != nil {
		return nil, err
	}
	e.remind(p.sending)
	p.follow()
	e.kind = planExtend
	switch {
	case p.first:
	case p.auxiliary():
		e.kind = planBeside
		p.relate(RelationAuxiliary)
		return nil, errBeside
	case p.superseded():
		if err := p.restart(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// match aligns under the settings of the proxy and of the provider's profile. The last
// stale entries do not stand.
func (e *exchange) match(branch prefix.Branch, from, stale int, seen []prefix.Item, h agents.History) prefix.Alignment {
	return prefix.Align(branch, from, seen, prefix.Options{
		Stale:         stale,
		Repair:        !e.NoRepair,
		KeepReasoning: e.Provider.KeepReasoning,
		Sent:          h.Sent,
		Echoed:        h.Echoed,
		Echoes:        e.echoes,
	})
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

// compose builds the entries behind the cut: the client's new items, the child's task with
// its guidance, insertions that move with the tail, and what the step boundary takes.
// The cut moves back by one where what moves has to stand in the item that ends the branch.
func (p *alignment) compose(cut prefix.Branch, pending []agents.Pending) (_ prefix.Branch, entries []prefix.Entry, claimed int, returned []string) {
	entries = prefix.Merge(cut, p.New)
	p.guide(cut, entries)
	if p.kind == planResume {
		p.Carry = nil // they stand among the steps that are kept
	}
	var carried []prefix.Entry
	for _, c := range p.Carry {
		carried = append(carried, loose(c)...)
	}
	insert := slices.Clone(carried)
	for _, id := range p.agent.Reserved {
		if p.lost(cut, id) {
			returned = append(returned, id)
		}
	}
	if p.auto() {
		for _, m := range pending {
			insert = append(insert, inserted(m))
		}
		claimed = len(pending)
	}
	if len(insert) == 0 {
		return cut, entries, claimed, returned
	}
	at := prefix.Place(cut, entries, p.prompts())
	if at < 0 {
		// An open batch: nothing may come between its calls and results. What moves
		// goes before it, what is pending waits.
		at, insert, claimed = 0, carried, 0
	}
	if p.Provider.AlternateRoles && len(entries) == 0 && cut.Len() > 0 && isUser(*cut.At(cut.Len() - 1)) {
		insert, claimed = carried, 0 // no answer stands between: it waits for one
		if n := cut.Len() - 1; len(carried) > 0 && n >= p.history.Inherited {
			cut, entries, at = cut.Cut(n), []prefix.Entry{*cut.At(n)}, 1
		}
	}
	return cut, p.insertAt(entries, at, insert), claimed, returned
}

// lost reports whether a reserved entry stands neither in the kept branch nor moves along.
func (p *alignment) lost(cut prefix.Branch, id string) bool {
	for _, c := range p.Carry {
		if holds(&c, id) {
			return false
		}
	}
	for _, entry := range cut.All(max(0, cut.Len()-maxReservedSpan)) {
		if holds(entry, id) {
			return false
		}
	}
	return true
}

// maxReservedSpan is how far from the end a reserved entry can stand: one boundary's
// entries and one request's new items.
const maxReservedSpan = 4096

// auto: whether what is pending may be read by this request.
func (p *alignment) auto() bool {
	return p.kind == planExtend || p.kind == planWake || p.kind == planResume
}

// inserted renders a pending entry as the item that the model reads.
func inserted(m agents.Pending) prefix.Entry {
	entry := prefix.Entry{Hidden: true, ID: m.ID}
	switch m.Kind {
	case agents.Notice:
		entry.Origin = prefix.OriginNotice
		entry.Item = tools.Notice(m.From, string(m.Outcome), m.Text)
		entry.Source = tools.NoticeSource(m.From, string(m.Outcome))
	case agents.Report:
		entry.Origin = prefix.OriginNotice
		entry.Item = tools.Report(m.Text)
		entry.Source = tools.ReportSource(m.From)
	default:
		entry.Origin = prefix.OriginMessage
		entry.Item = tools.Message(m.From, m.Text)
		entry.Source = tools.MessageSource(m.From)
	}
	return entry
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
