package reuse

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trunkline/prefix"
)

// simRender is the order in which the simulated provider renders.
var simRender = []string{prefix.SegmentParams, prefix.SegmentSystem, prefix.SegmentTools, prefix.SegmentHistory}

// pathOf is a request with one system item and items.
func pathOf(system string, items ...string) Path {
	raw := make([][]byte, len(items))
	for i, it := range items {
		raw[i] = []byte(it)
	}
	return PathOf(simRender, prefix.Head{System: [][]byte{[]byte(system)}}, raw)
}

var at0 = time.Unix(1_700_000_000, 0)

func TestIndexFindsTheLongestSharedPrefix(t *testing.T) {
	x := NewIndex(IndexConfig{})
	s := Scope{"t", "p", "m"}
	x.Add(s, pathOf("sys", "u1", "a1", "u2"), Sent{Answered: true, Tokens: prefix.Tokens(40)}, at0)

	for _, tt := range []struct {
		name    string
		scope   Scope
		path    Path
		parts   int
		extends bool
	}{
		{"the same again", s, pathOf("sys", "u1", "a1", "u2"), 4, true},
		{"one turn more", s, pathOf("sys", "u1", "a1", "u2", "a2", "u3"), 4, true},
		{"cut short", s, pathOf("sys", "u1"), 2, false},
		{"another item", s, pathOf("sys", "u1", "x", "u2"), 2, false},
		{"another head", s, pathOf("sis", "u1", "a1", "u2"), 0, false},
		{"the head alone", s, pathOf("sys", "v"), 1, false},
		{"another tenant", Scope{"t2", "p", "m"}, pathOf("sys", "u1", "a1", "u2"), 0, false},
		{"another model", Scope{"t", "p", "m2"}, pathOf("sys", "u1", "a1", "u2"), 0, false},
		{"another provider", Scope{"t", "p2", "m"}, pathOf("sys", "u1", "a1", "u2"), 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := x.Look(tt.scope, tt.path, "", at0.Add(time.Minute))
			if got.Parts != tt.parts || got.Bytes != tt.path.Bytes(tt.parts) || got.Extends != tt.extends {
				t.Errorf("parts %d, bytes %d, extends %v; want %d, %d, %v", got.Parts, got.Bytes, got.Extends, tt.parts, tt.path.Bytes(tt.parts), tt.extends)
			}
			if tt.parts > 0 && (got.Age != time.Minute || got.Warm != got.Bytes) {
				t.Errorf("age %v, warm %d", got.Age, got.Warm)
			}
		})
	}
}

// A prefix is as young as the last request that covered all of it, and no
// younger.
func TestIndexAgeIsThatOfTheSharedPart(t *testing.T) {
	x := NewIndex(IndexConfig{})
	s := Scope{"t", "p", "m"}
	long := pathOf("sys", "u1", "a1", "u2", "a2", "u3")
	x.Add(s, long, Sent{}, at0)
	x.Add(s, pathOf("sys", "u1", "a1", "fork"), Sent{}, at0.Add(time.Hour))
	x.Add(s, pathOf("sys", "u1"), Sent{}, at0.Add(2*time.Hour))

	now := at0.Add(3 * time.Hour)
	for items, want := range map[int]time.Duration{1: time.Hour, 2: 2 * time.Hour, 3: 3 * time.Hour, 5: 3 * time.Hour} {
		if got := x.Look(s, long.Cut(items), "", now).Age; got != want {
			t.Errorf("%d items: age %v, want %v", items, got, want)
		}
	}
}

func TestIndexKnowsWhatIsStillInFlight(t *testing.T) {
	x := NewIndex(IndexConfig{})
	s := Scope{"t", "p", "m"}
	parent, child := pathOf("sys", "u1", "a1"), pathOf("sys", "u1", "a1", "task")
	x.Add(s, parent, Sent{Answered: true}, at0)
	x.Add(s, child, Sent{}, at0)
	got := x.Look(s, child.Extend([][]byte{[]byte("more")}), "", at0)
	if got.Bytes != child.Bytes(4) || got.Warm != parent.Bytes(3) {
		t.Errorf("shared %d, warm %d; want %d, %d", got.Bytes, got.Warm, child.Bytes(4), parent.Bytes(3))
	}
	x.Add(s, child, Sent{Answered: true}, at0)
	if got := x.Look(s, child, "", at0); got.Warm != got.Bytes {
		t.Errorf("answered: shared %d, warm %d", got.Bytes, got.Warm)
	}
}

// A client that moves its cache markers on has not changed its history.
func TestIndexIgnoresMovedCacheMarkers(t *testing.T) {
	x := NewIndex(IndexConfig{})
	s := Scope{"t", "p", "m"}
	part := func(text, mark string) string {
		return `{"role":"user","content":[{"type":"text","text":"` + text + `"` + mark + `}]}`
	}
	const mark = `,"cache_control":{"type":"ephemeral"}`
	first := pathOf("sys", part("one", mark))
	x.Add(s, first, Sent{Answered: true}, at0)
	next := pathOf("sys", part("one", ""), part("two", mark))
	got := x.Look(s, next, "", at0)
	if got.Parts != 2 || Explain(next, got).Cause != prefix.CauseNone {
		t.Errorf("shared %d parts, %v", got.Parts, Explain(next, got))
	}
	if got.Marked != next.Bytes(2) {
		t.Errorf("marked up to %d bytes, want %d", got.Marked, next.Bytes(2))
	}
}

// TestIndexAgainstANaiveReference compares the tree with a list of everything
// sent, while nothing is evicted.
func TestIndexAgainstANaiveReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type sent struct {
			scope Scope
			parts []string
			at    time.Time
		}
		x, now := NewIndex(IndexConfig{}), at0
		var all []sent
		letters := rapid.StringMatching(`[abc]{1,3}`)
		for range rapid.IntRange(1, 30).Draw(t, "requests") {
			now = now.Add(time.Second)
			s := Scope{rapid.SampledFrom([]string{"t1", "t2"}).Draw(t, "tenant"), "p", "m"}
			system := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "system")
			items := rapid.SliceOfN(letters, 0, 8).Draw(t, "items")
			p := pathOf(system, items...)
			parts := append([]string{system}, items...)

			want, age := 0, time.Duration(0)
			for _, old := range all {
				n := 0
				for old.scope == s && n < len(old.parts) && n < len(parts) && old.parts[n] == parts[n] {
					n++
				}
				if n > 0 && n >= want {
					want, age = n, now.Sub(old.at) // later ones are younger
				}
			}
			got := x.Look(s, p, "", now)
			if got.Parts != want || got.Age != age || got.Bytes != p.Bytes(want) {
				t.Fatalf("%q: got %d parts, age %v; want %d, %v", parts, got.Parts, got.Age, want, age)
			}
			if rapid.Bool().Draw(t, "accepted") {
				x.Add(s, p, Sent{}, now)
				all = append(all, sent{s, parts, now})
			}
		}
	})
}

// TestIndexStaysWithinItsBounds checks, under eviction, that every bound holds,
// that what was added last is whole, and that the tree is sound.
func TestIndexStaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := IndexConfig{Entries: rapid.IntRange(4, 30).Draw(t, "entries"), HeadBytes: 4000}
		cfg.PerTenant = rapid.IntRange(3, cfg.Entries).Draw(t, "per tenant")
		x := NewIndex(cfg)
		letters := rapid.StringMatching(`[ab]{1,2}`)
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			s := Scope{rapid.SampledFrom([]string{"t1", "t2", "t3"}).Draw(t, "tenant"), "p", rapid.SampledFrom([]string{"m1", "m2"}).Draw(t, "model")}
			p := pathOf(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "system"), rapid.SliceOfN(letters, 0, 12).Draw(t, "items")...)
			x.Add(s, p, Sent{Answered: true, Tokens: prefix.Tokens(int64(p.Len()))}, at0.Add(time.Duration(rapid.IntRange(-9, 9).Draw(t, "seconds"))*time.Second))
			if got := x.Look(s, p, "", at0).Parts; got != min(p.Len(), cfg.PerTenant) {
				t.Fatalf("added %d parts, %d are held", p.Len(), got)
			}
			x.verify(t)
		}
	})
}

// verify checks the index's invariants.
func (x *Index) verify(t *rapid.T) {
	entries, perTenant := 0, map[string]int{}
	for key, sc := range x.scopes {
		if key != sc.Scope || len(sc.at) == 0 {
			t.Fatalf("scope %v is misfiled or empty", key)
		}
		entries += len(sc.at)
		perTenant[key.Tenant] += len(sc.at)
		for sum, r := range sc.at {
			i := 0
			for i < len(r.sums) && r.sums[i] != sum {
				i++
			}
			if i == len(r.sums) || len(r.meanings) != len(r.sums) || r.scope != sc {
				t.Fatal("a run does not hold its position")
			}
			if r.at > 0 && (r.parent == nil || r.parent.at >= r.at || r.parent.last() < r.at) || r.at == 0 && r.parent != nil {
				t.Fatal("a run hangs in the air")
			}
			for j, e := range r.ends {
				if e.at <= r.at || e.at > r.last() || j > 0 && r.ends[j-1].at >= e.at {
					t.Fatalf("ends out of place: %+v", r.ends)
				}
			}
			for j := 1; j < len(r.reached); j++ {
				if r.reached[j-1].at <= r.reached[j].at || r.reached[j-1].time.After(r.reached[j].time) {
					t.Fatalf("reached is no staircase: %+v", r.reached)
				}
			}
			if (r.all == nil) != (r.own == nil) || r.all == nil && r.needed() < r.last() {
				t.Fatal("a run cannot be evicted")
			}
		}
	}
	if entries != x.entries || entries > x.cfg.Entries {
		t.Fatalf("%d entries, counted %d, limit %d", entries, x.entries, x.cfg.Entries)
	}
	for tenant, n := range perTenant {
		if x.tenants[tenant].entries != n || n > x.cfg.PerTenant {
			t.Fatalf("%s: %d entries, counted %d", tenant, n, x.tenants[tenant].entries)
		}
	}
	if len(x.tenants) != len(perTenant) {
		t.Fatalf("%d tenants kept, %d hold something", len(x.tenants), len(perTenant))
	}
	var bytes int64
	for _, h := range x.heads.heads {
		bytes += int64(h.head.Size())
	}
	if bytes += tipBytes * int64(len(x.heads.tips)); bytes != x.heads.bytes || bytes > x.cfg.HeadBytes || x.heads.order.Len() != len(x.heads.tips) {
		t.Fatalf("heads take %d bytes, counted %d, limit %d", bytes, x.heads.bytes, x.cfg.HeadBytes)
	}
}

func TestPathExtendEqualsPathOf(t *testing.T) {
	whole := pathOf("sys", "a", "b", "c", "d")
	grown := pathOf("sys", "a").Extend([][]byte{[]byte("b"), []byte("c")})
	fork := grown.Extend([][]byte{[]byte("x")})
	grown = grown.Extend([][]byte{[]byte("d")})
	for n := 1; n <= whole.Len(); n++ {
		if whole.sum(n) != grown.sum(n) || whole.Bytes(n) != grown.Bytes(n) {
			t.Errorf("position %d differs", n)
		}
	}
	if fork.sum(5) == grown.sum(5) || fork.Cut(3).sum(4) != whole.sum(4) {
		t.Error("a fork and its origin disturb each other")
	}
}

// The bytes on a path are those of the raw head values and items.
func TestPathCountsRawBytes(t *testing.T) {
	b, err := prefix.Split([]byte(`{"model":"m", "stream":true, "tools":[ {"type":"function"} ], "messages":[{"role":"system","content":"s"} , {"role":"user","content":"u"}], "reasoning_effort":"low"}`))
	if err != nil {
		t.Fatal(err)
	}
	head := prefix.HeadOf(b)
	p := PathOf(simRender, head, [][]byte{b.Items[1].Raw})
	if got, want := p.Bytes(p.Len()), int64(head.Size()+len(b.Items[1].Raw)); got != want || p.Len() != 5 {
		t.Errorf("%d bytes in %d parts, want %d in 5", got, p.Len(), want)
	}
}

// Sharing a path and an index among goroutines is safe; the race detector
// watches.
func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	x, s, parent := NewIndex(IndexConfig{Entries: 200}), Scope{"t", "p", "m"}, pathOf("sys", "u1", "a1")
	x.Add(s, parent, Sent{Answered: true, Tokens: prefix.Tokens(9)}, at0)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			p := parent
			for i := range 100 {
				p = p.Extend([][]byte{fmt.Appendf(nil, "%d-%d", g, i)})
				x.Look(s, p, "", at0)
				x.Add(s, p, Sent{Answered: true, Tokens: prefix.Tokens(int64(10 + i)), Lineage: fmt.Sprint(g)}, at0)
			}
		})
	}
	wg.Wait()
	if got := x.Look(s, parent, "", at0); got.Parts == 0 || got.Parts > 3 {
		t.Errorf("%d parts of the common history are held", got.Parts)
	}
}

// BenchmarkIndexTail is the cost of one more step of a long conversation whose
// caller kept its path: two items are new behind 10,000 and more.
func BenchmarkIndexTail(b *testing.B) {
	x, s := NewIndex(IndexConfig{Entries: 1 << 20}), Scope{"t", "p", "m"}
	items := make([][]byte, 10_000)
	for i := range items {
		items[i] = fmt.Appendf(nil, `{"role":"user","content":"item %d of a long conversation"}`, i)
	}
	long := PathOf(simRender, prefix.Head{System: [][]byte{[]byte("system")}}, items)
	x.Add(s, long, Sent{Answered: true}, at0)
	tail := [][]byte{[]byte(`{"role":"assistant","content":"an answer"}`), []byte(`{"role":"user","content":"and so on"}`)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tail[1] = fmt.Appendf(tail[1][:0], `{"role":"user","content":"and so on %d"}`, i)
		long = long.Extend(tail)
		x.Look(s, long, "", at0)
		x.Add(s, long, Sent{Answered: true}, at0)
	}
}

// BenchmarkIndexWhole is the same without a kept path, as for anonymous
// traffic: the whole history is hashed.
func BenchmarkIndexWhole(b *testing.B) {
	x, s := NewIndex(IndexConfig{}), Scope{"t", "p", "m"}
	items, size := make([][]byte, 10_000), 0
	for i := range items {
		items[i] = fmt.Appendf(nil, `{"role":"user","content":"%0400d"}`, i)
		size += len(items[i])
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		p := PathOf(simRender, prefix.Head{System: [][]byte{[]byte("system")}}, items)
		x.Look(s, p, "", at0)
		x.Add(s, p, Sent{Answered: true}, at0)
	}
}

// TestIndexHearsLate: a request of long ago that is told only now makes what it covers known,
// and nothing younger or older than the newest request that covered it.
func TestIndexHearsLate(t *testing.T) {
	x := NewIndex(IndexConfig{})
	s := Scope{"t", "p", "m"}
	early, late := pathOf("sys", "u1", "a1", "u2"), pathOf("sys", "u1", "b1")
	x.Add(s, late, Sent{Answered: true}, at0)
	if x.Holds(s, early) || !x.Holds(s, late) {
		t.Error("what is held is confused")
	}
	x.Add(s, early, Sent{Answered: true}, at0.Add(-time.Hour))
	x.Add(s, early.Cut(2), Sent{Answered: true}, at0.Add(-time.Minute))
	x.Add(s, early.Cut(2), Sent{Answered: true}, at0.Add(-2*time.Hour))
	if !x.Holds(s, early) {
		t.Error("what was told late is not held")
	}
	for items, want := range map[int]time.Duration{0: 0, 1: 0, 2: time.Minute, 3: time.Hour} {
		if got := x.Look(s, early.Cut(items), "", at0).Age; got != want {
			t.Errorf("%d items: age %v, want %v", items, got, want)
		}
	}
}
