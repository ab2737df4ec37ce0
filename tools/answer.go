package tools

import (
	"bytes"
	"encoding/json"
)

// A State says how far an answer got.
type State int

const (
	// Incomplete: the stream has not finished, or ended or was cut before its
	// finish reason. A "[DONE]" without a finish is incomplete too, with Done
	// set: some providers end so, but no call in it may be executed.
	Incomplete State = iota
	// Complete: the finish reason was seen and every event was read.
	Complete
	// Failed: the provider reported an error inside the answer.
	Failed
)

func (s State) String() string {
	return [...]string{"incomplete", "complete", "failed"}[s]
}

// An Answer accumulates one provider answer, choice 0 of it, from the events
// of a stream or from a whole response. The zero value is ready.
//
// The exported fields are set by View, Parse and Skip and are for reading
// only. Raw JSON in them belongs to the Answer.
type Answer struct {
	// ID, Created, Model and Fingerprint are the raw JSON values of the first
	// chunk that has them, nil before.
	ID, Created, Model, Fingerprint []byte

	// Finish is the finish reason, "" before it was seen.
	Finish string

	// Usage is the last such value that was not null, from any chunk whatever
	// its choices; nil when the provider did not report.
	Usage []byte

	// Failure is the error that the provider reported inside the answer, raw as
	// it came; nil without one. An error beside content is content (case 29).
	Failure []byte

	// Multiple says that the answer has other choices than the one assembled.
	Multiple bool

	// Done says that the stream's "[DONE]" was seen, or a whole response.
	Done bool

	// Unread says that a part of the answer was skipped or was not valid JSON:
	// Message and Calls may lack something.
	Unread bool

	role    []byte // escaped body
	content field
	fields  object // every other member of the deltas
	batch   batch
}

// Parse takes in a whole response body.
func (a *Answer) Parse(body []byte) {
	c, ok := parseChunk(body)
	if a.Done, a.Unread = ok, !ok; ok {
		a.add(&c)
	}
}

// Skip records that a part of the stream went by unread.
func (a *Answer) Skip() { a.Unread = true }

// read handles every event that is not a chunk, and reports whether this is one.
func (a *Answer) read(name string, data []byte) (chunk, bool) {
	if data = bytes.TrimSpace(data); len(data) == 0 {
		return chunk{}, false
	}
	if string(data) == "[DONE]" {
		a.Done = true
		return chunk{}, false
	}
	c, ok := parseChunk(data)
	switch {
	case name == "error" && !c.says():
		a.Failure = bytes.Clone(data)
		return c, false
	case !ok && name == "" && !json.Valid(data):
		a.Unread = true // a broken chunk; other events are not ours to read
	}
	return c, ok
}

// add takes in a chunk and returns, for each entry of its tool_calls, the call
// that the entry belongs to.
func (a *Answer) add(c *chunk) []*call {
	b := c.data
	for _, first := range []struct {
		to    *[]byte
		value span
	}{{&a.ID, c.id}, {&a.Created, c.created}, {&a.Model, c.model}, {&a.Fingerprint, c.fingerprint}} {
		if *first.to == nil && !empty(b, first.value) {
			*first.to = bytes.Clone(first.value.of(b))
		}
	}
	if given(b, c.usage) {
		a.Usage = bytes.Clone(c.usage.of(b))
	}
	if given(b, c.failure) && !c.says() {
		a.Failure = bytes.Clone(c.failure.of(b))
	}
	if finish := text(b, c.finish); finish != "" {
		a.Finish = finish
	}
	a.Multiple = a.Multiple || c.multiple
	return a.merge(b, c.delta, c.toolCalls, c.message)
}

// merge joins a delta, or a whole message, each entry of which is a call of its own: ids may
// repeat in it, and arguments may be empty (case 42).
func (a *Answer) merge(b []byte, delta, toolCalls span, message bool) []*call {
	for key, value := range members(b, delta) {
		switch string(name(b, key)) {
		case "role":
			if escaped, _ := body(b, value); len(a.role) == 0 {
				a.role = append(a.role, escaped...)
			}
		case "content":
			a.content.merge(b, value, "content")
		case "tool_calls":
		default:
			a.fields.put(b, key, value)
		}
	}
	var calls []*call
	for entry := range elements(b, toolCalls) {
		calls = append(calls, a.batch.add(b, entry, message))
	}
	return calls
}

// State says how far the answer got.
func (a *Answer) State() State {
	switch {
	case a.Failure != nil:
		return Failed
	case a.Finish != "" && !a.Unread:
		return Complete
	}
	return Incomplete
}

// Cut reports whether the finish reason says that the answer was cut short.
// Calls of such an answer are not executed, even if their arguments parse.
func (a *Answer) Cut() bool { return cut(a.Finish) }

func cut(finish string) bool { return finish == "length" || finish == "content_filter" }

// Calls returns the calls in the order in which they began.
func (a *Answer) Calls() []Call {
	calls := make([]Call, len(a.batch.calls))
	for i, c := range a.batch.calls {
		calls[i] = c.export()
	}
	return calls
}

// Text returns the decoded content: a string, or the text parts of an array
// joined with nothing between; "" if there is none.
func (a *Answer) Text() string {
	b := a.content.appendTo(nil)
	if len(b) == 0 {
		return ""
	}
	return unescape(prose(b, whole(b)))
}

// prose returns the escaped body of a content value's text.
func prose(b []byte, content span) []byte {
	if escaped, ok := body(b, content); ok {
		return escaped
	}
	var joined []byte
	for part := range elements(b, content) {
		for key, value := range members(b, part) {
			if string(name(b, key)) == "text" {
				escaped, _ := body(b, value)
				joined = append(joined, escaped...)
			}
		}
	}
	return joined
}

// Message returns the assistant item in the one form that the proxy gives it:
// role, content as the provider gave it (absent, null and "" stay three
// things), other fields in the order first seen, calls. A field that was only
// ever null is left out.
func (a *Answer) Message() []byte { return a.message(a.batch.calls) }

func (a *Answer) message(calls []*call) []byte {
	role := a.role
	if len(role) == 0 {
		role = []byte("assistant")
	}
	dst := append(append([]byte(`{"role":"`), role...), '"')
	if a.content.kind != 0 {
		dst = a.content.appendTo(append(dst, `,"content":`...))
	}
	dst = appendMembers(dst, &a.fields)
	for i, c := range calls {
		if i == 0 {
			dst = append(dst, `,"tool_calls":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = c.appendTo(dst)
	}
	if len(calls) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}
