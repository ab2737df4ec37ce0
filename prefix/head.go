package prefix

import (
	"bytes"
	"fmt"
	"slices"
)

// A Head is what a provider renders ahead of the history, as raw values.
type Head struct {
	Tools  [][]byte // in order; nil when the request has no list of them
	System [][]byte // leading system and developer items
	Fields []Field  // every other top-level member that can enter the prompt, in the client's order

	// Where the parts stand in their request, which is no part of what they say: its shape, and
	// how many of System that keeps apart from the items.
	Kind  Kind
	Apart int
}

// A Field is a top-level member.
type Field struct {
	Name string // decoded
	Raw  []byte
}

// HeadOf returns the head of a body. A system prompt that a shape keeps apart
// from the history (instructions, system) counts as its first system items.
func HeadOf(b *Body) Head {
	h := Head{Kind: b.Kind}
	if b.HasTools {
		h.Tools = make([][]byte, len(b.Tools))
		for i, tool := range b.Tools {
			h.Tools[i] = tool.Raw
		}
	}
	if b.Kind != Chat {
		h.System = b.systemApart()
		h.Apart = len(h.System)
	}
	for _, item := range b.Items[:b.LeadingSystem()] {
		h.System = append(h.System, item.Raw)
	}
	for _, m := range b.Members {
		if b.isField(m.Name) {
			h.Fields = append(h.Fields, Field{m.Name, m.Value.Of(b.Raw)})
		}
	}
	return h
}

// systemApart returns the system prompt that a shape keeps apart from the
// history, part by part where it is an array.
func (b *Body) systemApart() [][]byte {
	value, ok := b.Field(b.Kind.system())
	if !ok || string(value) == "null" {
		return nil
	}
	if parts, err := Elements(value); err == nil {
		return parts
	}
	return [][]byte{value}
}

// LeadingSystem is the number of system and developer items that the history
// opens with. They belong to the head.
func (b *Body) LeadingSystem() int {
	n := slices.IndexFunc(b.Items, func(it Item) bool { return it.Role != "system" && it.Role != "developer" })
	if n < 0 {
		return len(b.Items)
	}
	return n
}

// isField reports whether a top-level member is a field of the head.
func (b *Body) isField(name string) bool {
	if name == "tools" || name == b.Kind.list() || b.Kind != Chat && name == b.Kind.system() {
		return false
	}
	return entersPrompt(name)
}

// Field returns the raw value of a field, the last one where a name is repeated; nil
// without one.
func (h Head) Field(name string) []byte {
	for _, f := range slices.Backward(h.Fields) {
		if f.Name == name {
			return f.Raw
		}
	}
	return nil
}

// At returns where the request has a tool, a system item, or an item of the history behind
// those, as a JSON path. It need not be there: a list may have ended ahead of it.
func (h Head) At(segment string, i int) string {
	list := h.Kind.list()
	switch {
	case segment == SegmentTools:
		list = "tools"
	case segment == SegmentHistory:
		i += len(h.System) - h.Apart
	case i >= h.Apart:
		i -= h.Apart
	case h.System[i][0] == '"': // all of it is one text
		return h.Kind.system()
	default:
		list = h.Kind.system()
	}
	return fmt.Sprintf("%s[%d]", list, i)
}

// Size is the length of the raw values in bytes, without what stands between
// them.
func (h Head) Size() int {
	n := 0
	for _, list := range [][][]byte{h.Tools, h.System} {
		for _, raw := range list {
			n += len(raw)
		}
	}
	for _, f := range h.Fields {
		n += len(f.Raw)
	}
	return n
}

// Equal reports whether two heads have the same bytes in the same order.
func (h Head) Equal(o Head) bool {
	return equalBytes(h.Tools, o.Tools) && equalBytes(h.System, o.System) &&
		slices.EqualFunc(h.Fields, o.Fields, func(f, g Field) bool { return f.Name == g.Name && bytes.Equal(f.Raw, g.Raw) })
}

// Clone returns a copy with bytes of its own: those of a request's head alias its whole body.
func (h Head) Clone() Head {
	c := h
	c.Tools, c.System, c.Fields = slices.Clone(h.Tools), slices.Clone(h.System), slices.Clone(h.Fields)
	for _, list := range [][][]byte{c.Tools, c.System} {
		for i, raw := range list {
			list[i] = bytes.Clone(raw)
		}
	}
	for i, f := range c.Fields {
		c.Fields[i].Raw = bytes.Clone(f.Raw)
	}
	return c
}

func equalBytes(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }
