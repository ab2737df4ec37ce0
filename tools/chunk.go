package tools

import "encoding/json"

// A chunk is one chat completion chunk, or one whole response, split into the
// spans that matter. An absent member has the zero span.
type chunk struct {
	data []byte

	id, created, model, fingerprint span
	usage, failure                  span

	choices   span // the array
	choice    span // the element with index 0 or none
	delta     span // its delta, or message in a whole response
	finish    span // its finish_reason
	toolCalls span // delta.tool_calls
	message   bool // the delta is a whole message
	multiple  bool // there are other choices too
}

// parseChunk splits data. It reports false if data is not one JSON object.
func parseChunk(data []byte) (chunk, bool) {
	c := chunk{data: data}
	if !json.Valid(data) {
		return c, false
	}
	top := whole(data)
	if kind(data, top) != '{' {
		return c, false
	}
	var choiceUsage span
	for key, value := range members(data, top) {
		switch string(name(data, key)) {
		case "id":
			c.id = value
		case "created":
			c.created = value
		case "model":
			c.model = value
		case "system_fingerprint":
			c.fingerprint = value
		case "usage":
			c.usage = value
		case "error":
			c.failure = value
		case "choices":
			c.choices = value
			for choice := range elements(data, value) {
				choiceUsage = c.choose(choice)
			}
		}
	}
	if !given(data, c.usage) {
		c.usage = choiceUsage // one provider family reports it there
	}
	return c, true
}

// choose takes in one element of choices and returns the usage inside it.
func (c *chunk) choose(choice span) (usage span) {
	var delta, finish, toolCalls span
	message := false
	for key, value := range members(c.data, choice) {
		switch key := string(name(c.data, key)); key {
		case "index":
			if given(c.data, value) && string(value.of(c.data)) != "0" {
				c.multiple = true
				return span{}
			}
		case "delta", "message":
			if kind(c.data, value) == '{' {
				delta, message = value, key == "message"
			}
		case "finish_reason":
			finish = value
		case "usage":
			usage = value
		}
	}
	if !c.choice.absent() {
		c.multiple = true
		return span{}
	}
	for key, value := range members(c.data, delta) {
		if string(name(c.data, key)) == "tool_calls" {
			toolCalls = value
		}
	}
	c.choice, c.delta, c.message, c.finish, c.toolCalls = choice, delta, message, finish, toolCalls
	return usage
}

// says reports whether the delta carries something of the answer: anything but
// a role and empty values.
func (c *chunk) says() bool {
	for key, value := range members(c.data, c.delta) {
		if string(name(c.data, key)) != "role" && !empty(c.data, value) {
			return true
		}
	}
	return false
}

// empty reports whether the value at s is absent, null, "", [] or {}.
func empty(b []byte, s span) bool {
	switch kind(b, s) {
	case 0, 'n':
		return true
	case '"':
		return s.end-s.start == 2
	case '[', '{':
		return space(b, s.start+1) == s.end-1
	}
	return false
}
