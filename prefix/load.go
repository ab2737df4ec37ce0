package prefix

import "fmt"

// skipDistances are the distances, in segments back from a new one, that its
// Skip names besides its parent: three for each power of four. Every ancestor
// is then at most one step for each base-4 digit of its distance away, and a
// load of 1,000 segments takes about six rounds of parallel reads, not 1,000.
// Beyond 1,024 segments each further 1,024 cost one round more.
var skipDistances = [...]int{2, 3, 4, 8, 12, 16, 32, 48, 64, 128, 192, 256, 512, 768, 1024}

// skips names the ancestors for a segment appended to b.
func (b Branch) skips() []string {
	var skip []string
	n := b.tip
	for _, d := range skipDistances {
		depth := -1
		if n != nil {
			depth = b.tip.depth + 1 - d
		}
		if depth < 0 {
			break
		}
		n = n.back(func(n *node) bool { return n.depth > depth })
		skip = append(skip, n.seg.node)
	}
	return skip
}

// Load reads the history that ref names, but only those of its segments that b does not
// hold: it shares the others. fetch returns the encodings of the segments with the given
// nodes, in that order, nil for one that does not exist; its errors are passed on. Every
// segment is checked against its node.
func (b Branch) Load(ref Ref, fetch func(nodes []string) ([][]byte, error)) (Branch, error) {
	if ref == (Ref{}) {
		return Branch{}, nil
	}
	held := make(map[string]*node) // node id → its place in b
	for n := b.tip; n != nil; n = n.parent {
		held[n.seg.node] = n
	}
	segments, err := fetchAncestors(ref.Node, held, fetch)
	if err != nil {
		return Branch{}, err
	}
	// Newest first until a segment that b holds or the root.
	var chain []Ref
	for at := ref; at != (Ref{}); at = segments[at.Node].Parent {
		chain = append(chain, at)
		if held[at.Node] != nil {
			break
		}
	}
	var loaded Branch
	for k := len(chain) - 1; k >= 0; k-- {
		at := chain[k]
		n := held[at.Node]
		if n == nil {
			n = newNode(loaded, segments[at.Node])
		}
		if at.N < 1 || at.N > len(n.seg.Entries) {
			return Branch{}, fmt.Errorf("prefix: segment %s has %d entries, not %d", at.Node, len(n.seg.Entries), at.N)
		}
		loaded = Branch{tip: n, n: n.start + at.N}
	}
	return loaded, nil
}

// fetchAncestors reads a segment and all its ancestors that are not held, a
// generation of references at a time.
func fetchAncestors(tip string, held map[string]*node, fetch func([]string) ([][]byte, error)) (map[string]*Segment, error) {
	segments := make(map[string]*Segment) // node id → segment; nil while it is asked for
	var want []string
	ask := func(id string) {
		if _, asked := segments[id]; !asked && held[id] == nil && id != "" {
			segments[id] = nil
			want = append(want, id)
		}
	}
	ask(tip)
	for len(want) > 0 {
		round := want
		want = nil
		raws, err := fetch(round)
		if err != nil {
			return nil, fmt.Errorf("prefix: fetch %d segments: %w", len(round), err)
		}
		if len(raws) != len(round) {
			return nil, fmt.Errorf("prefix: fetched %d segments of %d", len(raws), len(round))
		}
		for k, raw := range raws {
			if raw == nil {
				return nil, fmt.Errorf("%w: %s", ErrMissing, round[k])
			}
			seg, err := DecodeSegment(raw)
			if err != nil {
				return nil, fmt.Errorf("segment %s: %w", round[k], err)
			}
			if seg.node != round[k] {
				return nil, fmt.Errorf("segment %s: %w", round[k], &CorruptError{Msg: "its content has node " + seg.node})
			}
			segments[seg.node] = seg
			ask(seg.Parent.Node)
			for _, id := range seg.Skip {
				ask(id)
			}
		}
	}
	return segments, nil
}
