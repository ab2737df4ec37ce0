package prefix

import "bytes"

// Plain returns an item whose content is one text part, and nothing but that text, with the
// text as its content: the same prompt, as Marker.In says. Clients write the array where the
// text bears a cache marker, and the string when the marker has moved on. Any other item is
// returned as it is.
func Plain(item []byte) []byte {
	_, after, _ := bytes.Cut(item, []byte(`"content"`))
	if at := skipSpace(after, 0); at >= len(after) || after[at] != ':' {
		return item
	} else if at = skipSpace(after, at+1); at >= len(after) || after[at] != '[' {
		return item // most of them, without a second look
	}
	members, err := Members(item)
	content := contentOf(members)
	if err != nil || content < 0 {
		return item
	}
	at := members[content].Value
	parts, err := Elements(at.Of(item))
	if err != nil || len(parts) != 1 {
		return item
	}
	part, ok := membersOf(parts[0])
	text := part.get("text")
	if !ok || len(part) != 2 || part.text("type") != "text" || len(text) == 0 || text[0] != '"' {
		return item
	}
	return replace(item, at, text)
}
