package prefix

import (
	"bytes"
	"slices"
)

// Compose returns the bytes to send: the client's own chat body with its
// history, tools and prompt fields made equal to head and items. The history is
// not copied; the slices alias the body, head and items.
//
// When the body already says all that, the result is exactly its Raw. Members
// that need no change stay in place with their own bytes, white space and order.
// In messages and tools the client's own bytes are kept as far as the elements
// are equal from the front and from the back. What is missing is added as new
// members at the end; a prompt field that head does not have is removed. A list
// that is neither an array nor null is left for the provider to refuse.
//
// The elements of messages that are marked are sent in the bytes given there; all else is
// what it is without them, byte for byte. Edits in extra are of members that head does not
// hold.
func Compose(b *Body, head Head, items [][]byte, marked []Breakpoint, extra ...Edit) [][]byte {
	c := composer{body: b, edits: extra[:len(extra):len(extra)]}
	c.fields(head.Fields)

	c.list("messages", b.elements(), history(head, items), marked)

	tools := make([]element, len(b.Tools))
	for i, tool := range b.Tools {
		tools[i] = element{Span{tool.at, tool.at + len(tool.Raw)}, tool.Raw}
	}
	c.list("tools", tools, head.Tools, nil)
	return b.Splice(append(c.edits, b.removals(c.gone)...))
}

// history is what messages shall hold.
func history(head Head, items [][]byte) [][]byte {
	return slices.Concat(head.System, items)
}

// An element is one of an array that a body holds.
type element struct {
	Span        // where it stands in the body's Raw
	raw  []byte // what it is
}

// A composer collects what Compose has to change.
type composer struct {
	body  *Body
	edits []Edit
	gone  []int // positions of the members to remove
}

// fields makes the body's prompt fields those wanted.
func (c *composer) fields(want []Field) {
	var have []Field
	var members []int // position of each of have among the members
	for i, m := range c.body.Members {
		if c.body.isField(m.Name) {
			have = append(have, Field{m.Name, m.Value.Of(c.body.Raw)})
			members = append(members, i)
		}
	}
	at, _ := pair(have, want, Field.key)
	for j, f := range want {
		switch i := at[j]; {
		case i < 0:
			c.edits = append(c.edits, c.body.insert(f.Name, f.Raw))
		case !bytes.Equal(have[i].Raw, f.Raw):
			c.edits = append(c.edits, Edit{c.body.Members[members[i]].Value, [][]byte{f.Raw}})
		}
	}
	for _, i := range unpaired(len(have), at) {
		c.gone = append(c.gone, members[i])
	}
}

// list makes the elements of a top-level array those wanted, and puts marked ones in the
// places of some of them: want is changed.
func (c *composer) list(name string, have []element, want [][]byte, marked []Breakpoint) {
	raw := c.body.Raw
	front, back := common(have, want)
	kept := func(i int) bool { return i < front || i >= len(want)-back }
	replace := func(i int) {
		at := i
		if i >= front {
			at = len(have) - len(want) + i
		}
		c.edits = append(c.edits, Edit{have[at].Span, want[i : i+1]})
	}
	detached := name == "messages" && c.body.detached
	for _, m := range marked {
		if want[m.At] = m.Raw; kept(m.At) && !detached {
			replace(m.At)
		}
	}
	if detached {
		c.edits = slices.Grow(c.edits, front+back)
		for i := range want {
			if kept(i) {
				replace(i)
			}
		}
	}
	if front == len(have) && front == len(want) {
		return
	}
	i := c.body.index(name)
	if i < 0 {
		c.edits = append(c.edits, c.body.insert(name, array(want)...))
		return
	}
	switch value := c.body.Members[i].Value; {
	case string(value.Of(raw)) == "null":
		c.edits = append(c.edits, Edit{value, array(want)})
	case raw[value.Start] != '[':
	case name == "tools" && len(want) == 0:
		c.gone = append(c.gone, i) // providers refuse an empty list of tools
	default:
		c.edits = append(c.edits, between(value, have, want, front, back))
	}
}

// common counts the elements that are equal in front, and of the others those
// that are equal behind.
func common(have []element, want [][]byte) (front, back int) {
	n := min(len(have), len(want))
	for front < n && bytes.Equal(have[front].raw, want[front]) {
		front++
	}
	for back < n-front && bytes.Equal(have[len(have)-1-back].raw, want[len(want)-1-back]) {
		back++
	}
	return front, back
}

// between is the one edit that turns an array's elements into those wanted,
// between what is equal in front and behind.
func between(array Span, have []element, want [][]byte, front, back int) Edit {
	e := Edit{Span: Span{array.Start + 1, array.End - 1}}
	if front > 0 {
		e.Start = have[front-1].End
	}
	if back > 0 {
		e.End = have[len(have)-back].Start
	}
	middle := want[front : len(want)-back]
	comma := []byte(",")
	if front > 0 && len(middle) > 0 {
		e.With = append(e.With, comma)
	}
	e.With = append(e.With, joined(middle)...)
	switch {
	case back == 0:
	case front > 0 && front+back == len(have):
		e.End = e.Start // nothing goes, so the client's own comma serves
	case front > 0 || len(middle) > 0:
		e.With = append(e.With, comma)
	}
	return e
}

// array is a new array of the elements.
func array(elements [][]byte) [][]byte {
	out := append([][]byte{[]byte("[")}, joined(elements)...)
	return append(out, []byte("]"))
}

// joined puts a comma between elements.
func joined(elements [][]byte) [][]byte {
	if len(elements) == 0 {
		return nil
	}
	comma := []byte(",")
	out := make([][]byte, 0, 2*len(elements))
	for i, element := range elements {
		if i > 0 {
			out = append(out, comma)
		}
		out = append(out, element)
	}
	return out
}
