package prefix

import (
	"errors"
	"fmt"
	"iter"
)

// ErrMissing reports a segment that the store does not hold.
var ErrMissing = errors.New("prefix: segment missing")

// Branch is a loaded history. It is an immutable value: Cut and Append return
// other branches that share everything with it, so a fork or a step costs
// nothing per inherited entry. The zero Branch is the empty history. Branches
// may be used by several goroutines.
type Branch struct {
	tip *node
	n   int // entries from the root; tip.start < n <= tip.start+len(tip.seg.Entries)
}

// node is a segment in its chain.
type node struct {
	seg    *Segment
	parent *node // nil at the root
	jump   *node // an ancestor chosen so that any other is O(log depth) steps away; the root's is itself
	depth  int   // segments before this one
	start  int   // entries before this one
	bytes  int64 // item bytes before this one
}

func newNode(parent Branch, seg *Segment) *node {
	n := &node{seg: seg, parent: parent.tip, start: parent.n, bytes: parent.Bytes()}
	p := parent.tip
	switch {
	case p == nil:
		n.jump = n
		return n
	case p.depth-p.jump.depth == p.jump.depth-p.jump.jump.depth:
		n.jump = p.jump.jump
	default:
		n.jump = p
	}
	n.depth = p.depth + 1
	return n
}

// at returns the ancestor-or-self that is found by going back while past holds.
func (n *node) back(past func(*node) bool) *node {
	for past(n) {
		if past(n.jump) {
			n = n.jump
		} else {
			n = n.parent
		}
	}
	return n
}

// holding returns the node that holds entry i, which must exist.
func (b Branch) holding(i int) *node {
	return b.tip.back(func(n *node) bool { return n.start > i })
}

// Len returns the number of entries, hidden ones included.
func (b Branch) Len() int { return b.n }

// At returns entry i. Like an index expression it panics when i is out of range.
func (b Branch) At(i int) *Entry {
	if i < 0 || i >= b.n {
		panic(fmt.Sprintf("prefix: entry %d of %d", i, b.n))
	}
	n := b.holding(i)
	return &n.seg.Entries[i-n.start]
}

// All yields the entries from index from on, with their indices.
func (b Branch) All(from int) iter.Seq2[int, *Entry] {
	return func(yield func(int, *Entry) bool) {
		from := max(from, 0)
		var path []Branch // newest first; each ends where the next one starts
		for end := b; end.n > from; end = (Branch{end.tip.parent, end.tip.start}) {
			path = append(path, end)
		}
		for k := len(path) - 1; k >= 0; k-- {
			start := path[k].tip.start
			for i := max(from, start); i < path[k].n; i++ {
				if !yield(i, &path[k].tip.seg.Entries[i-start]) {
					return
				}
			}
		}
	}
}

// Items returns what goes upstream from entry from on.
func (b Branch) Items(from int) [][]byte {
	items := make([][]byte, 0, max(b.n-max(from, 0), 0))
	for _, e := range b.All(from) {
		items = append(items, e.Item)
	}
	return items
}

// Bytes returns the size of all items, without separators.
func (b Branch) Bytes() int64 {
	if b.tip == nil {
		return 0
	}
	size := b.tip.bytes
	for i := range b.n - b.tip.start {
		size += int64(len(b.tip.seg.Entries[i].Item))
	}
	return size
}

// Ref names the branch's end.
func (b Branch) Ref() Ref {
	if b.tip == nil {
		return Ref{}
	}
	return Ref{Node: b.tip.seg.node, N: b.n - b.tip.start}
}

// Cut returns the first n entries, or b when it has no more.
func (b Branch) Cut(n int) Branch {
	switch {
	case n <= 0:
		return Branch{}
	case n >= b.n:
		return b
	}
	return Branch{tip: b.holding(n - 1), n: n}
}

// Append returns the branch with entries behind it, and the segment that must
// be stored before the new branch's Ref is; nil when there are no entries. The
// entries are copied.
func (b Branch) Append(entries []Entry) (Branch, *Segment) {
	if len(entries) == 0 {
		return b, nil
	}
	seg := newSegment(b.Ref(), b.skips(), entries)
	return Branch{tip: newNode(b, seg), n: b.n + len(entries)}, seg
}

// Nodes yields the segments that the branch refers to, newest first.
func (b Branch) Nodes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := b.tip; n != nil && yield(n.seg.node); n = n.parent {
		}
	}
}

// Shared returns how many leading entries two branches have in common because
// they grew from the same segments.
func (b Branch) Shared(o Branch) int {
	x, y := b, o
	for x.tip != nil && y.tip != nil && x.tip.seg.node != y.tip.seg.node {
		if x.tip.depth >= y.tip.depth {
			x = Branch{x.tip.parent, x.tip.start}
		} else {
			y = Branch{y.tip.parent, y.tip.start}
		}
	}
	if x.tip == nil || y.tip == nil {
		return 0
	}
	return min(x.n, y.n)
}
