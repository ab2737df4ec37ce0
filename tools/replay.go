package tools

import "strconv"

// A Replay is a finished answer to be given once more, to a client that did
// not get it whole.
type Replay struct {
	Shape   Shape
	Message []byte // the assistant item as the client holds it, see Seen
	Finish  string // as it was; "" means "tool_calls" or "stop" by the message
	Usage   []byte // raw, nil for none
}

// Stream returns the answer as the events of a stream: one with everything,
// then the finish, the usage if there is one, and "[DONE]".
func (r Replay) Stream() []byte {
	a := r.Shape.answer()
	out := a.deltaFrame(r.delta(), []byte("null"))
	out = append(out, a.deltaFrame([]byte("{}"), r.finish())...)
	if r.Usage != nil {
		out = append(out, a.frame(`"choices":[],"usage":`+string(r.Usage))...)
	}
	return append(out, done...)
}

// JSON returns the answer as a response body.
func (r Replay) JSON() []byte {
	rest := `"choices":[{"index":0,"message":` + string(r.Message) + `,"finish_reason":` + string(r.finish()) + `}]`
	if r.Usage != nil {
		rest += `,"usage":` + string(r.Usage)
	}
	return r.Shape.answer().envelope("chat.completion", rest)
}

func (r Replay) finish() []byte {
	switch {
	case r.Finish != "":
		return quote(r.Finish)
	case len(r.calls()) > 0:
		return []byte(`"tool_calls"`)
	}
	return []byte(`"stop"`)
}

// calls returns the spans of the message's calls.
func (r Replay) calls() (calls []span) {
	if c, ok := parseChunk(r.Message); ok {
		for entry := range elements(r.Message, callsOf(&c)) {
			calls = append(calls, entry)
		}
	}
	return calls
}

// delta returns the message as a delta: each call gets its index.
func (r Replay) delta() []byte {
	var edits []edit
	for i, entry := range r.calls() {
		index := `"index":` + strconv.Itoa(i)
		if !empty(r.Message, entry) {
			index += ","
		}
		at := entry.start + 1
		edits = append(edits, edit{span{at, at}, []byte(index)})
	}
	return splice(r.Message, edits)
}
