package prefix

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// shelf is a store of segments that counts its round trips.
type shelf struct {
	raws    map[string][]byte // node → encoding
	rounds  int
	fetched int
}

func (s *shelf) fetch(nodes []string) ([][]byte, error) {
	s.rounds++
	s.fetched += len(nodes)
	raws := make([][]byte, len(nodes))
	for i, node := range nodes {
		raws[i] = s.raws[node]
	}
	return raws, nil
}

// grow appends n segments of two entries each and stores them.
func (s *shelf) grow(b Branch, n int) Branch {
	for range n {
		var seg *Segment
		b, seg = b.Append(numbered(b.Len(), 2))
		s.raws[seg.Node()] = seg.Encode()
	}
	return b
}

func newShelf() *shelf { return &shelf{raws: make(map[string][]byte)} }

// load reads a history of which nothing is held.
func load(ref Ref, fetch func(nodes []string) ([][]byte, error)) (Branch, error) {
	return Branch{}.Load(ref, fetch)
}

func TestLoadBringsBackTheBranch(t *testing.T) {
	s := newShelf()
	rng := rand.New(rand.NewPCG(3, 4))
	b := Branch{}
	for range 60 {
		b = s.grow(b.Cut(b.Len()-rng.IntN(3)), 1+rng.IntN(5))
		got, err := load(b.Ref(), s.fetch)
		if err != nil {
			t.Fatal(err)
		}
		if got.Ref() != b.Ref() || got.Len() != b.Len() || got.Bytes() != b.Bytes() {
			t.Fatalf("loaded %v, %d entries; want %v, %d", got.Ref(), got.Len(), b.Ref(), b.Len())
		}
		for i, e := range b.All(0) {
			if !bytes.Equal(got.At(i).Item, e.Item) {
				t.Fatalf("entry %d is %s, want %s", i, got.At(i).Item, e.Item)
			}
		}
		// A loaded branch grows exactly as the one that stayed in memory.
		x, _ := got.Append(numbered(0, 1))
		y, _ := b.Append(numbered(0, 1))
		if x.Ref() != y.Ref() {
			t.Fatalf("appended: %v and %v", x.Ref(), y.Ref())
		}
	}
	if got, err := load(Ref{}, s.fetch); err != nil || got.Len() != 0 {
		t.Errorf("the empty history: %d entries, %v", got.Len(), err)
	}
}

func TestLoadTakesFewRounds(t *testing.T) {
	for _, c := range []struct{ segments, rounds int }{{1, 1}, {5, 2}, {17, 3}, {65, 4}, {1000, 6}, {10_000, 15}} {
		s := newShelf()
		b := s.grow(Branch{}, c.segments)
		if _, err := load(b.Ref(), s.fetch); err != nil {
			t.Fatal(err)
		}
		if s.rounds > c.rounds || s.fetched != c.segments {
			t.Errorf("%d segments: %d fetched in %d rounds, want %d", c.segments, s.fetched, s.rounds, c.rounds)
		}
	}
}

func TestLoadSharesWhatIsHeld(t *testing.T) {
	s := newShelf()
	parent := s.grow(Branch{}, 100)
	fork := s.grow(parent.Cut(151), 3)
	got, err := parent.Load(fork.Ref(), s.fetch)
	if err != nil {
		t.Fatal(err)
	}
	if s.fetched != 3 {
		t.Errorf("%d segments fetched, want 3", s.fetched)
	}
	if got.Ref() != fork.Ref() || got.At(150) != parent.At(150) {
		t.Error("the loaded fork does not share its parent's entries")
	}
	s.fetched = 0
	if got, err = parent.Load(parent.Cut(7).Ref(), s.fetch); err != nil || got.Len() != 7 || s.fetched != 0 {
		t.Errorf("a held prefix: %d entries, %d fetched, %v", got.Len(), s.fetched, err)
	}
}

func TestLoadRefusesWrongBytes(t *testing.T) {
	s := newShelf()
	b := s.grow(Branch{}, 5)
	middle := b.Cut(6).Ref().Node

	_, err := load(Ref{Node: b.Ref().Node, N: 3}, s.fetch)
	if err == nil {
		t.Error("more entries than the segment has: no error")
	}
	raw := s.raws[middle]
	s.raws[middle] = bytes.Replace(raw, []byte("content"), []byte("CONTENT"), 1)
	var corrupt *CorruptError
	if _, err := load(b.Ref(), s.fetch); !errors.As(err, &corrupt) {
		t.Errorf("changed bytes: %v", err)
	}
	delete(s.raws, middle)
	if _, err := load(b.Ref(), s.fetch); !errors.Is(err, ErrMissing) {
		t.Errorf("missing segment: %v", err)
	}
	down := errors.New("down")
	if _, err := load(b.Ref(), func([]string) ([][]byte, error) { return nil, down }); !errors.Is(err, down) {
		t.Errorf("failing fetch: %v", err)
	}
	if _, err := load(b.Ref(), func([]string) ([][]byte, error) { return nil, nil }); err == nil {
		t.Error("a fetch without results: no error")
	}
}
