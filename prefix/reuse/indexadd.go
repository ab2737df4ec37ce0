package reuse

import (
	lru "container/list"
	"slices"
	"time"

	"trunkline/prefix"
)

// Add notes that a provider accepted a request. It may be called again for the
// same path when more is known of it: that it was answered, and what it was billed
// at. Where a provider's cache also ends behind its own output (BoundaryUnit),
// the path with the answer behind it is added as well.
func (x *Index) Add(s Scope, p Path, sent Sent, now time.Time) {
	if p.elsewhere != "" {
		sent.Tokens = prefix.Count{} // of more than the path
	}
	meanings, weight := x.newMeanings(s, p), x.newWeight(s, p, sent)

	x.mu.Lock()
	defer x.mu.Unlock()
	x.heads.keep(s, p, sent.Lineage)
	n := min(p.Len(), x.cfg.PerTenant)
	if n == 0 {
		return
	}
	sc := x.scopes[s]
	if sc == nil {
		sc = &scope{Scope: s, at: map[[16]byte]*run{}}
		x.scopes[s] = sc
	}
	r := x.grow(sc, p, n, meanings)
	r.note(p, n, sent, weight.all)
	if !sent.Output { // the tokens of an answer that is not all text are no measure
		sc.pace = sc.pace.with(weight.fresh, sent.Tokens.N-weight.from)
	}
	for q, at := r, n; q != nil; q, at = q.parent, q.at {
		q.reach(at, now)
		if sent.Answered {
			q.warm = max(q.warm, at)
		}
	}
	x.evict(s.Tenant)
}

// Guess teaches a scope to which nothing was reported how many tokens a path of it may have.
// That is no report: no position is known by it, and the first report takes its place.
func (x *Index) Guess(s Scope, p Path, tokens int64) {
	weight := p.weigh(0, p.Len())
	x.mu.Lock()
	defer x.mu.Unlock()
	if sc := x.scopes[s]; sc != nil && !sc.pace.known {
		sc.pace = sc.pace.with(weight, tokens)
		sc.pace.guessed = sc.pace.known
	}
}

// Holds reports whether a request that went so far is known.
func (x *Index) Holds(s Scope, p Path) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	sc := x.scopes[s]
	return p.Len() == 0 || sc != nil && sc.at[p.sum(p.Len())] != nil
}

// newMeanings hashes the items that the index does not hold yet, outside the
// lock. It stops at a size that keeps the first sight of a huge history cheap;
// what it leaves out is the oldest, and the least likely to be rewritten.
func (x *Index) newMeanings(s Scope, p Path) map[int]uint32 {
	x.mu.Lock()
	_, held := x.scopes[s].longest(p)
	x.mu.Unlock()
	meanings := map[int]uint32{} // position behind the item → its meaning
	for n, left := p.Len(), 4<<20; n > max(held, len(p.parts)) && left > 0; n-- {
		raw := p.item(n - 1 - len(p.parts))
		left -= len(raw)
		meanings[n] = x.meaning(raw)
	}
	return meanings
}

// added is the weight of a path whose tokens are reported.
type added struct {
	all, fresh Weight
	from       int64 // tokens ahead of what is fresh
}

// newWeight weighs a path, outside the lock: what lies behind the last report on it.
func (x *Index) newWeight(s Scope, p Path, sent Sent) (w added) {
	if sent.Tokens.N == 0 {
		return w
	}
	last := x.lastReport(s, p)
	w.from, w.fresh = last.tokens, p.weigh(last.at, p.Len())
	w.all = last.weight.plus(w.fresh)
	return w
}

// lastReport returns the last end on p, and not its own, whose tokens are reported.
func (x *Index) lastReport(s Scope, p Path) end {
	x.mu.Lock()
	defer x.mu.Unlock()
	r, n := x.scopes[s].longest(p)
	for e := range r.endsUpTo(n) {
		if e.tokens > 0 && e.at < p.Len() {
			return e
		}
	}
	return end{}
}

// grow makes positions up to n held, and returns the run that holds n.
func (x *Index) grow(sc *scope, p Path, n int, meanings map[int]uint32) *run {
	r, held := sc.longest(p)
	if held >= n {
		r = sc.at[p.sum(n)]
		x.touch(r)
		return r
	}
	if r == nil || r.last() != held {
		kid := &run{scope: sc, parent: r, at: held}
		if r != nil {
			r.adopt(kid)
		}
		r = kid
	}
	r.sums = slices.Grow(r.sums, n-held)
	r.meanings = slices.Grow(r.meanings, n-held)
	for at := held + 1; at <= n; at++ {
		sum := p.sum(at)
		r.sums = append(r.sums, sum)
		r.meanings = append(r.meanings, meanings[at])
		sc.at[sum] = r
	}
	x.count(sc.Tenant, n-held)
	x.touch(r)
	return r
}

// adopt makes kid go on from r.
func (r *run) adopt(kid *run) {
	if r.kids == nil {
		r.kids, r.forks = lru.New(), map[int]int{}
	}
	kid.kin = r.kids.PushFront(kid)
	r.forks[kid.at]++
}

// note records where the request ended and where it has cache markers.
func (r *run) note(p Path, n int, sent Sent, weight Weight) {
	if n == p.Len() {
		e := r.endAt(n, p)
		e.sent = true
		e.asked = e.asked || !sent.Output
		if sent.Tokens.N > 0 {
			e.tokens, e.weight = sent.Tokens.N, weight
		}
	}
	for _, mark := range p.marks {
		q := r
		for q != nil && mark <= q.at {
			q = q.parent
		}
		if q != nil && mark <= q.last() {
			q.endAt(mark, p).marked = true
		}
	}
}

// endAt returns the end at a position of r, which it makes if there is none.
func (r *run) endAt(at int, p Path) *end {
	i, ok := slices.BinarySearchFunc(r.ends, at, func(e end, at int) int { return e.at - at })
	if !ok {
		r.ends = slices.Insert(r.ends, i, end{at: at, bytes: p.Bytes(at)})
	}
	return &r.ends[i]
}

// reach notes that a request covered positions up to at. It may be one of long ago, which
// is heard of only now.
func (r *run) reach(at int, then time.Time) {
	from, found := slices.BinarySearchFunc(r.reached, at, func(e reach, at int) int { return at - e.at })
	if from > 0 && !r.reached[from-1].time.Before(then) || found && !r.reached[from].time.Before(then) {
		return // one that went further, or as far, was not before it
	}
	to := from
	for to < len(r.reached) && !r.reached[to].time.After(then) {
		to++
	}
	r.reached = slices.Replace(r.reached, from, to, reach{at, then})
}

// touch makes r the last to be evicted.
func (x *Index) touch(r *run) {
	own := x.tenants[r.scope.Tenant].runs
	if r.all != nil {
		x.runs.MoveToFront(r.all)
		own.MoveToFront(r.own)
		return
	}
	r.all, r.own = x.runs.PushFront(r), own.PushFront(r)
}

// park takes r off the lists, since nothing of it can be freed.
func (x *Index) park(r *run) {
	if r.all != nil {
		x.runs.Remove(r.all)
		x.tenants[r.scope.Tenant].runs.Remove(r.own)
		r.all, r.own = nil, nil
	}
}
