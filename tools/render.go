package tools

import (
	"bytes"
	"slices"
	"strconv"
)

// An ending says how held frames are shown. The zero value changes nothing.
type ending struct {
	finish, usage []byte // raw values to show, nil for the provider's
	swallow       bool   // show only what says something of the answer
}

// render returns the bytes of a frame for the client: its own when nothing in
// it must change, none when nothing is left of it.
func (v *View) render(f frame, end ending) []byte {
	if !f.chunk {
		if end.swallow {
			return nil
		}
		return f.raw
	}
	if v.cfg.HideUsage && f.usageOnly() {
		return nil
	}
	edits, says := v.delta(f)
	if !says && (end.swallow || len(edits) > 0 && !f.closes()) {
		return nil
	}
	if v.later {
		edits = append(edits,
			f.replace(f.c.id, v.first.ID), f.replace(f.c.created, v.first.Created),
			f.replace(f.c.model, v.first.Model), f.replace(f.c.fingerprint, v.first.Fingerprint))
	}
	edits = append(edits, f.replace(f.c.finish, end.finish), f.replace(f.c.usage, end.usage))
	edits = slices.DeleteFunc(edits, edit.absent)
	if len(edits) == 0 {
		return f.raw
	}
	return reframe(f.raw, splice(f.c.data, edits))
}

// replace returns the edit that gives the value at s other bytes, none if it is
// absent or null, has them already, or with is nil.
func (f frame) replace(s span, with []byte) edit {
	if with == nil || !given(f.c.data, s) || bytes.Equal(s.of(f.c.data), with) {
		return edit{}
	}
	return edit{s, with}
}

// usageOnly reports whether the frame carries usage and nothing else.
func (f frame) usageOnly() bool {
	b := f.c.data
	return given(b, f.c.usage) && empty(b, f.c.choices) && !given(b, f.c.failure)
}

// closes reports whether the frame must reach the client even if its delta is
// empty.
func (f frame) closes() bool {
	b := f.c.data
	return given(b, f.c.finish) || given(b, f.c.usage) || given(b, f.c.failure)
}

// delta returns the edits of a frame's delta: without our calls, the client's
// renumbered, without a role that was sent before. It also reports whether that
// leaves anything that the client does not know: more than empty values.
func (v *View) delta(f frame) (edits []edit, says bool) {
	b := f.c.data
	edits, foreign := v.entries(f)
	says = foreign
	var siblings []span
	var dropped []bool
	for key, value := range members(b, f.c.delta) {
		drop := false
		switch string(name(b, key)) {
		case "tool_calls":
			drop = !foreign && len(f.calls) > 0
		case "role":
			drop = v.later && v.role
			says = says || !v.role
			v.role = true
		default:
			says = says || !empty(b, value)
		}
		siblings = append(siblings, span{key.start, value.end})
		dropped = append(dropped, drop)
	}
	return append(edits, remove(siblings, func(i int) bool { return dropped[i] })...), says
}

// entries returns the edits inside a frame's tool_calls, and whether any of
// them is the client's. If none is, the whole member has to go instead.
func (v *View) entries(f frame) (edits []edit, foreign bool) {
	var siblings []span
	for entry := range elements(f.c.data, f.c.toolCalls) {
		if p := v.places[f.calls[len(siblings)]]; !p.ours {
			foreign = true
			edits = append(edits, p.number(f.c.data, entry))
		}
		siblings = append(siblings, entry)
	}
	if !foreign {
		return nil, false
	}
	edits = append(edits, remove(siblings, func(i int) bool { return v.places[f.calls[i]].ours })...)
	return slices.DeleteFunc(edits, edit.absent), true
}

// number returns the edit of an entry's index, none if it may stay.
func (p place) number(b []byte, entry span) edit {
	if !p.renumber {
		return edit{}
	}
	for key, value := range members(b, entry) {
		if string(name(b, key)) == "index" && given(b, value) {
			return edit{value, strconv.AppendInt(nil, int64(p.index), 10)}
		}
	}
	return edit{}
}

// finishFor returns the raw finish reason that the client must see instead of
// the provider's, nil if that one may stay. A client that is handed calls needs
// "tool_calls"; one that is handed none must not wait for them.
func finishFor(finish string, ours, theirs int) []byte {
	switch {
	case ours == 0 || finish == "" || cut(finish):
		return nil
	case theirs > 0:
		return []byte(`"tool_calls"`)
	case finish == "tool_calls" || finish == "function_call":
		return []byte(`"stop"`)
	}
	return nil
}
