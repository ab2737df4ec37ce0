package reuse

import (
	lru "container/list"
	"hash/maphash"
	"iter"
	"slices"
	"sync"
	"time"

	"trunkline/prefix"
)

// Scope is whose requests may share a cache: nothing is ever found across two
// scopes.
type Scope struct{ Tenant, Provider, Model string }

// IndexConfig bounds an Index. The zero value of a field takes its default.
type IndexConfig struct {
	Entries   int   // positions held in all; 200,000
	PerTenant int   // positions held for one tenant; half of Entries
	HeadBytes int64 // raw bytes of earlier heads, kept to say what changed; 32 MiB
}

// An Index knows which prefixes were sent to which provider and model, as
// hashes. It is a radix tree for each scope: a run of positions that one
// request added, and runs that leave it where other requests took another way.
//
//  1. A position is held only while all before it are, so the longest shared
//     prefix can be found by bisection.
//  2. What is evicted are the ends that were unused longest, never a prefix of
//     something held, so the history of a live conversation stays whole.
//  3. No bytes of items are kept, and those of heads only within HeadBytes.
//
// It may be used by several goroutines.
type Index struct {
	cfg  IndexConfig
	seed maphash.Seed

	mu      sync.Mutex
	scopes  map[Scope]*scope
	tenants map[string]*holding // tenant → what it holds
	runs    *lru.List           // *run with something to free, newest first
	entries int
	heads   headStore
}

// scope is the tree of one Scope.
type scope struct {
	Scope
	at   map[[16]byte]*run // position's sum → the run that holds it
	pace pace              // of all reports
}

// holding is what one tenant holds.
type holding struct {
	entries int
	runs    *lru.List // as in Index
}

// run holds the positions at+1 … at+len(sums) of one path.
type run struct {
	scope    *scope
	parent   *run // nil at the root
	at       int  // the position of parent that it goes on from
	sums     [][16]byte
	meanings []uint32    // of the item behind each step; 0 for a head part or an unknown one
	kids     *lru.List   // *run that go on from here, newest first; nil without
	forks    map[int]int // position → how many of kids go on from it
	ends     []end       // ascending by position, within this run
	reached  []reach     // by position descending and time ascending
	warm     int         // positions up to here were read whole by the provider; 0 for none

	all, own *lru.Element // in Index.runs and holding.runs; nil while there is nothing to free
	kin      *lru.Element // in parent.kids
}

// end is a position where a request ended, or behind a cache marker.
type end struct {
	at     int
	bytes  int64
	tokens int64  // of the prompt that ended here; 0 when not reported
	weight Weight // of all before; known when tokens are
	sent   bool   // a request ended here, or with its answer
	asked  bool   // a request ended here
	marked bool   // the part before carries a cache marker
}

// reach says when the last request that went at least so far did.
type reach struct {
	at   int
	time time.Time
}

func (r *run) last() int { return r.at + len(r.sums) }

// NewIndex returns an empty index.
func NewIndex(cfg IndexConfig) *Index {
	if cfg.Entries <= 0 {
		cfg.Entries = 200_000
	}
	if cfg.PerTenant <= 0 {
		cfg.PerTenant = max(1, cfg.Entries/2)
	}
	cfg.PerTenant = min(cfg.PerTenant, cfg.Entries)
	if cfg.HeadBytes <= 0 {
		cfg.HeadBytes = 32 << 20
	}
	return &Index{
		cfg:     cfg,
		seed:    maphash.MakeSeed(),
		scopes:  map[Scope]*scope{},
		tenants: map[string]*holding{},
		runs:    lru.New(),
		heads:   newHeadStore(cfg.HeadBytes),
	}
}

// Shared is what a request has in common with everything sent before in its
// scope.
type Shared struct {
	Parts int           // leading parts in common, of the head and of the history
	Bytes int64         // raw bytes of them
	Age   time.Duration // since a request last covered them; 0 when Parts is

	Warm   int64 // bytes of them that an answered request covered: what is in flight warms nothing
	Sent   int64 // bytes up to the last point within them where a request ended, or its answer
	Asked  int64 // bytes up to the last point within them where a request ended
	Marked int64 // bytes up to the last point within them behind a cache marker
	Before int64 // bytes that the earlier request went on to: what could have been shared

	Extends bool         // an earlier request ended exactly where sharing ends
	Answer  bool         // an earlier request's answer did
	Meaning bool         // the next item means what was sent there before
	Rejoins bool         // the answer, call or result behind it does as well; false while no item is in common
	Known   bool         // the lineage was seen before, by its history or its name
	Was     *prefix.Head // head of the lineage's last request, if more could have been shared under it; nil if not kept

	reports reports
}

// Sent describes a request that a provider accepted.
type Sent struct {
	Lineage  string       // name of the conversation, from a client's header; may be ""
	Answered bool         // its answer began, so its prompt was read whole
	Output   bool         // the path ends with its answer, which the provider has as well
	Tokens   prefix.Count // up to the end of the path, as the provider reported them
}

// Look compares a path with what was sent before. lineage is as in Sent.
func (x *Index) Look(s Scope, p Path, lineage string, now time.Time) Shared {
	x.mu.Lock()
	defer x.mu.Unlock()
	var found Shared
	sc := x.scopes[s]
	r, n := sc.longest(p)
	if sc != nil {
		found.reports.pace = sc.pace
	}
	if n > 0 {
		found.measure(r, n, p)
		found.Parts, found.Bytes, found.Warm = n, p.Bytes(n), p.Bytes(r.warmUpTo(n))
		found.Age = max(0, now.Sub(r.reachedAt(n)))
		found.Before = max(found.Before, found.Bytes)
	}
	i := n - len(p.parts) // items in common, negative within the head
	if i >= 0 && i < len(p.items) && n > 0 && (n < r.last() || r.forks[n] > 0) {
		found.Meaning = r.meant(n, 0, x.meaning(p.item(i))) != nil
		if j := p.reply(i + 1); i > 0 && j > 0 {
			q := r.meant(n, j-i, x.meaning(p.item(j)))
			found.Rejoins = q != nil
			found.before(q, n)
		}
	}
	found.Known = i > 0
	if earlier := x.heads.find(s, p, max(i, 0), lineage); earlier != nil {
		found.Known = true
		found.Before = max(earlier.bytes, found.Bytes)
		found.reports.before = 0
		if !earlier.named || i < 0 { // this whole head was sent: with another history, another head costs nothing
			found.Was = earlier.head
		}
	}
	return found
}

// measure fills in what the ends around position n say.
func (found *Shared) measure(r *run, n int, p Path) {
	further, _ := slices.BinarySearchFunc(r.ends, n+1, func(e end, at int) int { return e.at - at })
	found.reports.at = n
	for _, e := range r.ends[further:] {
		if e.tokens > 0 {
			found.reports.beyond = e // the nearest one says most
			break
		}
	}
	found.before(r, n)
	for e := range r.endsUpTo(n) {
		e.bytes = p.Bytes(e.at) // markers, which are not compared, may have come or gone
		if e.sent {
			found.Sent = max(found.Sent, e.bytes)
			found.Extends = found.Extends || e.at == n && e.asked
			found.Answer = found.Answer || e.at == n && !e.asked
		}
		if e.asked {
			found.Asked = max(found.Asked, e.bytes)
		}
		if e.marked {
			found.Marked = max(found.Marked, e.bytes)
		}
		found.reports.note(e)
	}
}

// before notes how far the requests went on from n that r holds; r may be nil.
func (found *Shared) before(r *run, n int) {
	if r == nil {
		return
	}
	for _, e := range slices.Backward(r.ends) {
		if e.at > n && e.sent {
			found.Before, found.reports.before = e.bytes, e.tokens
			return
		}
	}
}

// endsUpTo yields the ends at n and before, newest first, and not so many that
// a long history makes a look-up slow: what counts is near.
func (r *run) endsUpTo(n int) iter.Seq[end] {
	return func(yield func(end) bool) {
		left := 64
		for q, limit := r, n; q != nil; q, limit = q.parent, min(limit, q.at) {
			upTo, _ := slices.BinarySearchFunc(q.ends, limit+1, func(e end, at int) int { return e.at - at })
			for _, e := range slices.Backward(q.ends[:upTo]) {
				if left--; left < 0 || !yield(e) {
					return
				}
			}
		}
	}
}

// longest returns the longest prefix of p that is held, and the run that holds
// its end. It looks near the end first, since a conversation grows by little.
func (sc *scope) longest(p Path) (*run, int) {
	if sc == nil {
		return nil, 0
	}
	low, high := 0, p.Len() // position low is held, high+1 is not
	for step := 1; low < high; step *= 2 {
		n := max(low, high-step+1)
		if n == low {
			break
		}
		if sc.at[p.sum(n)] != nil {
			low = n
			break
		}
		high = n - 1
	}
	for low < high {
		if n := (low + high + 1) / 2; sc.at[p.sum(n)] != nil {
			low = n
		} else {
			high = n - 1
		}
	}
	if low == 0 {
		return nil, 0
	}
	return sc.at[p.sum(low)], low
}

// reachedAt returns when a request last covered position n.
func (r *run) reachedAt(n int) time.Time {
	for i := len(r.reached) - 1; i >= 0; i-- {
		if r.reached[i].at >= n {
			return r.reached[i].time
		}
	}
	return time.Time{}
}

// warmUpTo returns the last position up to n that the provider has read.
func (r *run) warmUpTo(n int) int {
	for r != nil && r.warm == 0 {
		r, n = r.parent, min(n, r.at)
	}
	if r == nil {
		return 0
	}
	return min(n, r.warm)
}

// meant returns the run of an earlier request that went on from n with an item of that
// meaning, so many items ahead of the next; nil without one.
func (r *run) meant(n, ahead int, meaning uint32) *run {
	if meaning == 0 {
		return nil
	}
	if n+ahead < r.last() && r.meanings[n+ahead-r.at] == meaning {
		return r
	}
	if r.forks[n] == 0 {
		return nil
	}
	left := 64 // of thousands that go on from a common head, the newest matter
	for e := r.kids.Front(); e != nil && left > 0; e, left = e.Next(), left-1 {
		if k := e.Value.(*run); k.at == n && ahead < len(k.meanings) && k.meanings[ahead] == meaning {
			return k
		}
	}
	return nil
}

// meaning hashes what an item means; 0 when it is unknown or too large to be
// worth the time.
func (x *Index) meaning(raw []byte) uint32 {
	if len(raw) == 0 || len(raw) > 64<<10 {
		return 0
	}
	return uint32(maphash.String(x.seed, prefix.HistoryMeaning(prefix.Unmarked(raw))) | 1)
}
