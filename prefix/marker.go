package prefix

import "strings"

// A Marker is the form in which a provider takes a cache breakpoint: one more member of a
// text part, behind which the entry ends. The zero Marker is that of a provider that takes
// none.
type Marker struct {
	Member    string // raw key and value
	Assistant bool   // texts of assistant items can bear it, too
	Tool      bool   // results of tools can bear it, too
}

// A Breakpoint is one element of messages with a cache marker in it.
type Breakpoint struct {
	At  int    // place in messages: the head's system items come first, then the history
	Raw []byte // the element as it is sent
}

// In returns the item with the marker in its last text part. A string becomes an array of
// one part, which is the same prompt: high for Anthropic's models, whose documentation calls
// the string a shorthand, medium for OpenAI's. It reports false for an item that can bear
// none: one of another role, or one whose content has no text that is not blank, since
// providers refuse a marker there.
func (m Marker) In(item []byte) ([]byte, bool) {
	switch ItemOf(item).Role {
	case "system", "developer", "user":
	case "assistant":
		if !m.Assistant {
			return nil, false
		}
	case "tool":
		if !m.Tool {
			return nil, false
		}
	default:
		return nil, false
	}
	members, err := Members(item)
	at := contentOf(members)
	if err != nil || at < 0 {
		return nil, false
	}
	content := members[at].Value
	raw := content.Of(item)
	switch {
	case raw[0] == '"' && !blank(raw):
		part := `[{"type":"text","text":` + string(raw) + `,` + m.Member + `}]`
		return replace(item, content, []byte(part)), true
	case raw[0] == '[':
		if end, ok := lastText(raw); ok {
			end += content.Start
			return replace(item, Span{end, end}, []byte(","+m.Member)), true
		}
	}
	return nil, false
}

// lastText returns where the members of the last text part of an array end.
func lastText(array []byte) (end int, ok bool) {
	_, err := scanArray(array, 0, 0, func(at int) (int, error) {
		stop, err := scanNested(array, at, 1)
		part := Span{at, stop}.Of(array)
		if o, isObject := membersOf(part); isObject && o.text("type") == "text" && !blank(o.get("text")) {
			members, _ := Members(part)
			end, ok = at+members[len(members)-1].Value.End, true
		}
		return stop, err
	})
	return end, ok && err == nil
}

// blank reports whether a raw value is no string, or one with nothing to read in it.
func blank(raw []byte) bool {
	text, _ := Text(raw)
	return strings.TrimSpace(text) == ""
}
