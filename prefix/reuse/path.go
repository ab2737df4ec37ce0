package reuse

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"

	"trunkline/prefix"
)

// A Chain identifies a run of parts by their bytes and order. It is SHA-256
// cut to 128 bits: the same in every process, so that a caller may keep it
// beside a stored history, and safe against collisions that a client builds.
// The zero Chain is the empty run.
type Chain struct {
	Sum   [16]byte
	Bytes int64 // raw bytes of the parts, without separators
}

// Extend returns the chain with one more item behind it. Cache markers in it are
// counted, but not hashed: a provider does not render them. Nor is the array that
// a string becomes to bear one.
func (c Chain) Extend(item []byte) Chain {
	return c.extend(prefix.Plain(prefix.Unmarked(item)), len(item))
}

func (c Chain) extend(clean []byte, size int) Chain {
	var in [16 + sha256.Size]byte
	inner := sha256.Sum256(clean)
	copy(in[copy(in[:], c.Sum[:]):], inner[:])
	sum := sha256.Sum256(in[:])
	return Chain{[16]byte(sum[:16]), c.Bytes + int64(size)}
}

// tagged starts or continues a chain with what is hashed but has no bytes of
// its own in the request: which segment and which field a part belongs to.
func (c Chain) tagged(tags ...string) Chain {
	return c.extend([]byte(strings.Join(tags, "\x00")), 0)
}

// A Path is one request as a provider renders it: the parts of its head in the
// provider's order, then its items. Position n on it is the point behind n
// parts. A Path is immutable; values share what they have in common.
type Path struct {
	render []string
	head   prefix.Head // without cache markers
	parts  []headPart  // of the head, in render order
	items  []Chain     // from the empty run, so that they hold for any head
	tail   *chainTail  // of the array behind items
	raw    [][]byte    // the newest items, as far as the caller gave their bytes
	marks  []int       // positions behind a part with a cache marker, ascending

	// elsewhere is the field that names a prompt which the provider holds: this one goes on
	// from that, so it is longer than what is seen of it. "": all of it is here.
	elsewhere string
}

// headPart is one tool, system item or field.
type headPart struct {
	segment string
	place   int   // index in its segment
	chain   Chain // of the head up to and with this part
}

// PathOf hashes a request. render is the order of Provider.Render; a field's
// place in the client's object is not rendered, so fields are taken by name.
func PathOf(render []string, head prefix.Head, items [][]byte) Path {
	p := Path{render: render, head: prefix.Head{Kind: head.Kind, Apart: head.Apart}}
	p.head.Fields = slices.Clone(head.Fields)
	slices.SortStableFunc(p.head.Fields, func(a, b prefix.Field) int { return strings.Compare(a.Name, b.Name) })
	var chain Chain
	add := func(segment string, place int, name string, raw []byte) []byte {
		clean := prefix.Unmarked(raw)
		chain = chain.tagged(segment, name).extend(clean, len(raw))
		p.parts = append(p.parts, headPart{segment, place, chain})
		if len(clean) < len(raw) {
			p.marks = append(p.marks, len(p.parts))
		}
		return clean
	}
	for _, segment := range render {
		switch segment {
		case prefix.SegmentParams:
			for i, f := range p.head.Fields {
				add(segment, i, f.Name, f.Raw)
				if namesPrompt(f) {
					p.elsewhere = f.Name
				}
			}
		case prefix.SegmentSystem:
			for i, raw := range head.System {
				p.head.System = append(p.head.System, add(segment, i, "", raw))
			}
		case prefix.SegmentTools:
			for i, raw := range head.Tools {
				p.head.Tools = append(p.head.Tools, add(segment, i, "", raw))
			}
		}
	}
	return p.Extend(items)
}

// namesPrompt reports a field that stands for a prompt which the provider holds.
func namesPrompt(f prefix.Field) bool {
	return (f.Name == "previous_response_id" || f.Name == "conversation") && string(f.Raw) != "null"
}

// Extend returns the path with more items. Only they are hashed, so a caller
// that kept the path of its last request pays for what is new.
func (p Path) Extend(items [][]byte) Path {
	var chain Chain
	if n := len(p.items); n > 0 {
		chain = p.items[n-1]
	}
	added := make([]Chain, len(items))
	p.raw, p.marks = items, slices.Clip(p.marks)
	for i, raw := range items {
		clean := prefix.Unmarked(raw)
		chain = chain.extend(prefix.Plain(clean), len(raw))
		added[i] = chain
		if len(clean) < len(raw) {
			p.marks = append(p.marks, p.Len()+i+1)
		}
	}
	p.items, p.tail = p.tail.append(p.items, added)
	return p
}

// chainTail lets the newest of several paths on one array grow in place, so that
// a step of a long conversation does not copy it. A path reads the array only up
// to its own length, and nobody writes there.
type chainTail struct {
	mu   sync.Mutex
	used int // length of the path that reaches furthest
}

// append returns items with added behind them, and the tail of that array. t may
// be nil: the array is then taken to be in use.
func (t *chainTail) append(items, added []Chain) ([]Chain, *chainTail) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.used == len(items) {
			items = append(items, added...)
			t.used = len(items)
			return items, t
		}
	}
	items = slices.Concat(items, added)
	return items, &chainTail{used: len(items)}
}

// Cut returns the path with its first n items only.
func (p Path) Cut(n int) Path {
	if n >= len(p.items) {
		return p
	}
	p.raw = p.raw[:max(0, len(p.raw)-(len(p.items)-n))]
	p.items = p.items[:n]
	at, _ := slices.BinarySearch(p.marks, p.Len()+1)
	p.marks = p.marks[:at]
	return p
}

// WithoutText returns the path for keeping until the next request: the raw
// items alias a whole request body, which it would hold in memory.
func (p Path) WithoutText() Path {
	p.raw = nil
	return p
}

// Len returns the number of parts, of the head and of the history.
func (p Path) Len() int { return len(p.parts) + len(p.items) }

// Bytes returns the raw bytes of the first n parts, without separators.
func (p Path) Bytes(n int) int64 {
	if n <= len(p.parts) {
		return p.headChain(n).Bytes
	}
	return p.headChain(len(p.parts)).Bytes + p.items[n-1-len(p.parts)].Bytes
}

// sum identifies everything up to position n > 0.
func (p Path) sum(n int) [16]byte {
	if n <= len(p.parts) {
		return p.parts[n-1].chain.Sum
	}
	head := p.headChain(len(p.parts))
	return Chain{Sum: head.Sum}.extend(p.items[n-1-len(p.parts)].Sum[:], 0).Sum
}

func (p Path) headChain(n int) Chain {
	if n == 0 {
		return Chain{}
	}
	return p.parts[n-1].chain
}

// item returns the raw bytes of item i, nil when the path does not hold them.
func (p Path) item(i int) []byte {
	if i -= len(p.items) - len(p.raw); i < 0 || i >= len(p.raw) {
		return nil
	}
	return p.raw[i]
}

// weight weighs what lies between positions n-1 and n.
func (p Path) weight(n int) Weight {
	if i := n - 1 - len(p.parts); i >= 0 {
		if raw := p.item(i); raw != nil {
			return weighItem(raw)
		}
		return unweighed(p.Bytes(n) - p.Bytes(n-1))
	}
	switch part := p.parts[n-1]; part.segment {
	case prefix.SegmentSystem:
		return weighItem(p.head.System[part.place])
	case prefix.SegmentTools:
		return weighRaw(p.head.Tools[part.place])
	default:
		return weighRaw(p.head.Fields[part.place].Raw)
	}
}

// weigh weighs what lies between two positions.
func (p Path) weigh(from, to int) (w Weight) {
	for n := from + 1; n <= to; n++ {
		w = w.plus(p.weight(n))
	}
	return w
}
