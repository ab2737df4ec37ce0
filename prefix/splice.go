package prefix

import (
	"bytes"
	"cmp"
	"slices"
)

// An Edit replaces a span of a body's raw bytes.
type Edit struct {
	Span
	With [][]byte
}

// Set returns the edit that gives a top-level member a raw value: in place when
// the body has the member, else as a new one at the object's end.
func (b *Body) Set(name string, value ...[]byte) Edit {
	if i := b.index(name); i >= 0 {
		return Edit{b.Members[i].Value, value}
	}
	return b.insert(name, value...)
}

// insert adds a top-level member at the object's end. Its comma is dropped by
// Splice where nothing stands before it.
func (b *Body) insert(name string, value ...[]byte) Edit {
	with := [][]byte{[]byte(","), append(Quote(name), ':')}
	return Edit{Span{b.last(), b.last()}, append(with, value...)}
}

// removals cuts out the members at the given positions: those that open the
// object with the comma after them, the others with the comma before.
func (b *Body) removals(positions []int) []Edit {
	slices.Sort(positions)
	var edits []Edit
	for k, i := range positions {
		cut := Span{b.Members[i].Key.Start, b.Members[i].Value.End}
		if i > k { // something before it stays
			cut.Start = b.Members[i-1].Value.End
		} else if i+1 < len(b.Members) {
			cut.End = b.Members[i+1].Key.Start
		}
		edits = append(edits, Edit{Span: cut})
	}
	return edits
}

// last is where a new member is inserted: behind the last value, or behind the
// brace of an empty object.
func (b *Body) last() int {
	if n := len(b.Members); n > 0 {
		return b.Members[n-1].Value.End
	}
	return skipSpace(b.Raw, 0) + 1
}

// Splice returns the body's bytes with the edits made, as slices that alias
// Raw and the edits. Without edits it is Raw itself. Edits come in any order;
// those that insert at one point keep theirs. Two edits of the same bytes are a
// programming error and panic.
func (b *Body) Splice(edits []Edit) [][]byte {
	if len(edits) == 0 {
		return [][]byte{b.Raw}
	}
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(x, y Edit) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End))
	})
	out := make([][]byte, 0, 2*len(edits)+1)
	at := 0
	for _, e := range edits {
		if e.Start < at {
			panic("prefix: two edits of the same bytes of a body")
		}
		out = appendPiece(out, Span{at, e.Start}.Of(b.Raw))
		with := e.With
		if len(with) > 0 && string(with[0]) == "," && endsInBrace(out) {
			with = with[1:]
		}
		for _, piece := range with {
			out = appendPiece(out, piece)
		}
		at = e.End
	}
	return appendPiece(out, Span{at, len(b.Raw)}.Of(b.Raw))
}

func appendPiece(out [][]byte, piece []byte) [][]byte {
	if len(piece) == 0 {
		return out
	}
	return append(out, piece)
}

// endsInBrace reports that the object is still empty where out ends. No value
// ends in an opening brace, so there is no other reading of one.
func endsInBrace(out [][]byte) bool {
	for i := len(out) - 1; i >= 0; i-- {
		if text := bytes.TrimRight(out[i], " \t\r\n"); len(text) > 0 {
			return text[len(text)-1] == '{'
		}
	}
	return false
}
