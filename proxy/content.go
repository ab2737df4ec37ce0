package proxy

import (
	"bytes"
	"slices"

	"trunkline/prefix"
)

// hasContent reports whether an event, or an answer in one piece, brings something of the
// answer: a text that is not empty under one of the names that carry them. How the provider
// spaces its JSON does not matter, and a quoted name before a colon is a key. What an error
// says, and what it repeats of the request, is none.
func hasContent(event []byte) bool {
	if echoes(event) {
		return false
	}
	event = withoutError(event)
	for _, key := range [...]string{`"content"`, `"reasoning_content"`, `"reasoning"`, `"thinking"`, `"refusal"`, `"arguments"`, `"delta"`, `"text"`, `"name"`} {
		for rest := event; ; {
			_, after, found := bytes.Cut(rest, []byte(key))
			if !found {
				break
			}
			rest = after
			value, isMember := bytes.CutPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":"))
			value = bytes.TrimLeft(value, " \t\r\n")
			if isMember && len(value) > 1 && value[0] == '"' && value[1] != '"' {
				return true
			}
		}
	}
	return false
}

// withoutError leaves out what an event has under the name of an error.
func withoutError(event []byte) []byte {
	if !bytes.Contains(event, []byte(`"error"`)) {
		return event
	}
	members, _ := prefix.Members(event)
	for _, m := range members {
		if m.Name == "error" {
			return slices.Concat(event[:m.Value.Start], event[m.Value.End:])
		}
	}
	return event
}

// echoes reports the events of Responses that hold the response as a whole. It repeats the
// request, its tools and their names included, also before the model has said anything.
func echoes(event []byte) bool {
	for _, kind := range [...]string{
		`"response.created"`, `"response.queued"`, `"response.in_progress"`,
		`"response.completed"`, `"response.incomplete"`, `"response.failed"`,
	} {
		if bytes.Contains(event, []byte(kind)) {
			return true
		}
	}
	return false
}
