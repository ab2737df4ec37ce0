package tools

import (
	"bytes"
	"slices"
)

// An edit replaces the bytes of a span.
type edit struct {
	span
	with []byte
}

// absent reports whether e is the zero edit: none.
func (e edit) absent() bool { return e.span.absent() }

// splice returns b with the edits made. They must not overlap; their order
// does not matter.
func splice(b []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(x, y edit) int { return x.start - y.start })
	out := make([]byte, 0, len(b)+64)
	at := 0
	for _, e := range edits {
		out = append(append(out, b[at:e.start]...), e.with...)
		at = e.end
	}
	return append(out, b[at:]...)
}

// remove returns the edits that take the dropped ones out of a list of
// siblings, members or elements, with the commas that go with them.
func remove(siblings []span, drop func(i int) bool) []edit {
	var edits []edit
	for i := 0; i < len(siblings); i++ {
		if !drop(i) {
			continue
		}
		first := i
		for i+1 < len(siblings) && drop(i+1) {
			i++
		}
		gap := span{siblings[first].start, siblings[i].end}
		if i+1 < len(siblings) {
			gap.end = siblings[i+1].start
		} else if first > 0 {
			gap.start = siblings[first-1].end
		}
		edits = append(edits, edit{span: gap})
	}
	return edits
}

// insert returns the edit that adds a member at the end of the object at s.
func insert(b []byte, s span, key string, value []byte) edit {
	with := append([]byte(`"`+key+`":`), value...)
	if !empty(b, s) {
		with = append([]byte{','}, with...)
	}
	return edit{span{s.end - 1, s.end - 1}, with}
}

// reframe returns the event raw with other data. Its other lines, and the way
// its lines end, stay as they are.
func reframe(raw, data []byte) []byte {
	// Data that was joined from several lines has line ends, which JSON allows
	// between tokens only; there any other blank says the same.
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte{'\n'}, []byte{' '}), []byte{'\r'}, []byte{' '})
	out := make([]byte, 0, len(raw)+len(data))
	done := false
	for len(raw) > 0 {
		n := len(raw)
		if i := bytes.IndexAny(raw, "\r\n"); i >= 0 {
			n = i
		}
		line, ending := raw[:n], raw[n:min(n+1, len(raw))]
		if bytes.HasPrefix(raw[n:], []byte("\r\n")) {
			ending = raw[n : n+2]
		}
		raw = raw[n+len(ending):]
		field, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("\ufeff")), []byte{':'})
		if string(field) != "data" {
			out = append(append(out, line...), ending...)
		} else if !done {
			done = true
			out = append(append(append(out, "data: "...), data...), ending...)
		}
	}
	return out
}
