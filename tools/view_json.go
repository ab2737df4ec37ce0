package tools

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoAnswer is returned by Join for a body that holds no message to show.
var ErrNoAnswer = errors.New("the response holds no message")

// Join is what View is for streams: it returns the one response body that a
// client sees for one or more steps, given as the provider's response bodies.
// Earlier holds the assistant items of steps before those whose responses are
// gone. The last body is spliced: its message gets the steps' texts joined
// with nothing between and keeps only the calls that are not the proxy's, its
// finish reason fits them, its usage adds the steps up.
//
// A single body that needs no change is returned as it is, and so is one with
// several choices. Join returns ErrNoAnswer if the last body has no message,
// such as an error of the provider.
func Join(earlier, bodies [][]byte, own func(name string) bool) ([]byte, error) {
	if len(bodies) == 0 {
		return nil, ErrNoAnswer
	}
	last := bodies[len(bodies)-1]
	c, ok := parseChunk(last)
	if !ok || c.delta.absent() {
		return nil, fmt.Errorf("%w: step %d", ErrNoAnswer, len(bodies))
	}
	if c.multiple {
		return last, nil
	}

	before := said(earlier)
	v := NewView(ViewConfig{Own: own})
	for _, b := range bodies[:len(bodies)-1] {
		if step, ok := parseChunk(b); ok {
			before = append(before, saidIn(b, step.delta)...)
			v.answer.add(&step)
		}
		v.usages = append(v.usages, v.answer.Usage)
		v.begin()
	}
	f := frame{chunk: true, c: c, calls: v.answer.add(&c)}
	v.decide(true, false)

	edits, _ := v.delta(f)
	if len(before) > 0 {
		edits = append(edits, prepend(last, c.delta, before))
	}
	finish := finishFor(v.answer.Finish, v.ours, v.theirs)
	edits = append(edits, f.replace(c.finish, finish), f.replace(c.usage, v.usage()))
	if edits = slices.DeleteFunc(edits, edit.absent); len(edits) == 0 {
		return last, nil
	}
	return splice(last, edits), nil
}

// prepend returns the edit that puts text, an escaped body, before the content
// of the message at s.
func prepend(b []byte, message span, escaped []byte) edit {
	for key, value := range members(b, message) {
		if string(name(b, key)) != "content" {
			continue
		}
		switch kind(b, value) {
		case '"':
			return edit{span{value.start + 1, value.start + 1}, escaped}
		case '[':
			part := append(append([]byte(`{"type":"text","text":"`), escaped...), `"}`...)
			if !empty(b, value) {
				part = append(part, ',')
			}
			return edit{span{value.start + 1, value.start + 1}, part}
		}
		return edit{value, quoted(escaped)}
	}
	return insert(b, message, "content", quoted(escaped))
}
