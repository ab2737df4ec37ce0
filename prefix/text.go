package prefix

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Text decodes a JSON string; false when raw is not exactly one. Lone
// surrogates and invalid UTF-8 read as U+FFFD, as in encoding/json.
func Text(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if end, err := scanString(raw, 0); err != nil || end != len(raw) {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// name decodes a scanned key. The keys that a request repeats thousands of
// times cost no allocation.
func name(key []byte) string {
	switch string(key) {
	case `"role"`:
		return "role"
	case `"content"`:
		return "content"
	case `"type"`:
		return "type"
	case `"text"`:
		return "text"
	case `"tool_calls"`:
		return "tool_calls"
	case `"tool_call_id"`:
		return "tool_call_id"
	case `"id"`:
		return "id"
	case `"name"`:
		return "name"
	case `"function"`:
		return "function"
	case `"arguments"`:
		return "arguments"
	case `"reasoning_content"`:
		return "reasoning_content"
	}
	s, _ := Text(key) // a scanned key is a string
	return s
}
