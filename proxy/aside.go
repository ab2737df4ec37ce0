package proxy

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
)

// asides remembers, for each agent, the last request that stood beside its branch. When a
// later request extends that one, it was the conversation after all (a hand-over to other
// instructions, say), and the branch follows. Forgetting costs one more such request.
type asides struct {
	mu sync.Mutex
	at map[agents.Key]aside
}

type aside struct {
	items int
	sum   reuse.Chain
}

// maxAsides bounds the memory; beyond it everything is forgotten at once.
const maxAsides = 4096

// chainOf is of what the items mean: a client may write them anew, move its cache markers on,
// and leave reasoning out.
func chainOf(items []prefix.Item) reuse.Chain {
	var c reuse.Chain
	for _, i := range items {
		c = c.Extend([]byte(prefix.HistoryMeaning(prefix.Unmarked(prefix.WithoutReasoning(i.Raw)))))
	}
	return c
}

func (s *asides) note(key agents.Key, items []prefix.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.at) >= maxAsides || s.at == nil {
		s.at = map[agents.Key]aside{}
	}
	s.at[key] = aside{len(items), chainOf(items)}
}

// extended reports whether the items go on from the noted request.
func (s *asides) extended(key agents.Key, items []prefix.Item) bool {
	s.mu.Lock()
	a, ok := s.at[key]
	s.mu.Unlock()
	return ok && len(items) > a.items && chainOf(items[:a.items]).Sum == a.sum.Sum
}

// auxiliary reports a request that is not the agent's conversation: a title generator or
// a summariser, with another system prompt, or without the tools. It stays beside the
// branch until a later request extends it. Another prompt with other tools is a hand-over.
func (p *alignment) auxiliary() bool {
	if p.history.ForkHead != "" {
		return p.reinstructed()
	}
	toolsGone := len(p.body.Tools) == 0 && len(p.last.Tools) > len(p.history.Standard)
	instructed := p.instructed() && slices.EqualFunc(p.last.Tools, p.head.Tools, bytes.Equal)
	return (toolsGone || instructed && !p.provisional()) && !p.asides.extended(p.key, p.seen)
}

// provisional reports a first branch of which the client has not shown to know an answer. It
// may be an auxiliary request's that came before the conversation.
func (p *alignment) provisional() bool {
	return p.history.Provisional && p.Echoed <= p.history.Inherited
}

// superseded reports that a provisional branch gives way: to a request that shares nothing
// with it, or the items alone, under other instructions of the agent's own or with the first
// tools.
func (p *alignment) superseded() bool {
	equipped := len(p.body.Tools) > 0 && len(p.last.Tools) <= len(p.agent.History.Standard)
	return p.provisional() && (p.Matched == 0 || p.history.ForkHead == "" && (equipped || p.instructed()))
}

// instructed reports another system prompt than the one that was sent last.
func (p *alignment) instructed() bool { return !alike(p.last.System, p.head.System) }

// reinstructed is auxiliary for a child with its parent's head, whose own system text stands
// ahead of its task. Where another one is followed, the task goes up anew.
func (p *alignment) reinstructed() bool {
	at, was := p.task()
	now := p.moved()
	if at < 0 || p.body.LeadingSystem() == 0 || was == now {
		return false
	}
	instructions := func(moved string) [][]byte {
		if moved == "" {
			moved = told(p.last.System) // its parent's
		}
		return [][]byte{[]byte(moved)}
	}
	if !p.provisional() && !alike(instructions(was), instructions(now)) && !p.asides.extended(p.key, p.seen) {
		return true
	}
	p.Alignment = p.match(p.branch, p.from, p.branch.Len()-at, p.seen, p.history)
	return false
}

// restart drops a provisional branch: this request is the agent's first in truth. A head of
// the agent's own begins anew, too, or our tools would stay ahead of the client's. What was
// inserted into the branch has been read by nobody but whom it was not for: it moves along.
func (p *alignment) restart(ctx context.Context) error {
	h := &p.history
	if h.Len > h.Inherited && h.Trimmed == 0 {
		h.Trimmed = time.Now().UnixMilli()
	}
	var insertions []prefix.Entry
	for _, entry := range p.branch.All(h.Inherited) {
		if entry.Inserted() || entry.ID != "" {
			insertions = append(insertions, *entry)
		}
	}
	inherited := p.resent(p.branch.Cut(h.Inherited), *h)
	p.branch = inherited.branch
	h.Resends, h.ResendsFrom = inherited.items > 0, inherited.from
	h.Inherited = p.branch.Len()
	h.Echoed, h.Sent, h.Executing = h.Inherited, h.Inherited, 0
	p.first = true
	p.follow()
	p.Carry = insertions
	if h.ForkHead != "" {
		return nil
	}
	h.Head, h.HeadOwner, p.put = "", "", nil
	return p.resolveHead(ctx)
}

// alike reports whether two system prompts are the same but for short spans, such as a
// nonce and a clock: that is one conversation with a broken prefix, not another one.
func alike(a, b [][]byte) bool {
	return slices.EqualFunc(a, b, func(x, y []byte) bool {
		return framed(x, y) || mostly(x, y) && mostly(y, x)
	})
}

// framed reports whether all but a fifth of two texts is a common beginning and end.
func framed(x, y []byte) bool {
	n := min(len(x), len(y))
	front := 0
	for front < n && x[front] == y[front] {
		front++
	}
	back := 0
	for back < n-front && x[len(x)-1-back] == y[len(y)-1-back] {
		back++
	}
	return 5*(front+back) >= 4*max(len(x), len(y))
}

// phrase is how many words in a row tell one text from another.
const phrase = 4

// mostly reports whether all but a fifth of x's phrases stand in y.
func mostly(x, y []byte) bool {
	stands := map[string]bool{} // phrase of y → it has it
	for p := range phrases(y) {
		stands[p] = true
	}
	all, found := 0, 0
	for p := range phrases(x) {
		all++
		if stands[p] {
			found++
		}
	}
	return all > 0 && 5*found >= 4*all
}

// phrases yields each run of words of a text.
func phrases(text []byte) iter.Seq[string] {
	words := strings.Fields(string(text))
	return func(yield func(string) bool) {
		for i := range max(0, len(words)-phrase+1) {
			if !yield(strings.Join(words[i:i+phrase], " ")) {
				return
			}
		}
	}
}
