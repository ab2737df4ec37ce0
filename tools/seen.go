package tools

import "slices"

// Seen returns the assistant item that a client holds after it was shown one
// answer made of these items, one for each step: their texts joined with
// nothing between, other fields joined likewise, and only the calls that are
// not the proxy's. One item without such calls is returned as it is.
func Seen(messages [][]byte, own func(name string) bool) []byte {
	a, foreign := new(Answer), []*call(nil)
	mixed := false
	for _, m := range messages {
		c, ok := parseChunk(m)
		if !ok {
			continue
		}
		a.batch = batch{} // ids may repeat from step to step
		a.merge(m, whole(m), callsOf(&c), true)
		foreign = append(foreign, a.batch.calls...)
	}
	foreign = slices.DeleteFunc(foreign, func(c *call) bool {
		ours := own(unescape(c.name))
		mixed = mixed || ours
		return ours
	})
	if len(messages) == 1 && !mixed {
		return messages[0]
	}
	return a.message(foreign)
}

// callsOf returns the tool_calls of a message, which is its own top level.
func callsOf(c *chunk) (toolCalls span) {
	for key, value := range members(c.data, whole(c.data)) {
		if string(name(c.data, key)) == "tool_calls" {
			toolCalls = value
		}
	}
	return toolCalls
}

// said returns the escaped body of the texts of assistant items, joined.
func said(messages [][]byte) []byte {
	var joined []byte
	for _, m := range messages {
		if _, ok := parseChunk(m); !ok {
			continue
		}
		joined = append(joined, saidIn(m, whole(m))...)
	}
	return joined
}

// saidIn returns the escaped body of the text of the message at s.
func saidIn(b []byte, message span) (escaped []byte) {
	for key, value := range members(b, message) {
		if string(name(b, key)) == "content" {
			escaped = prose(b, value)
		}
	}
	return escaped
}
