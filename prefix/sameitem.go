package prefix

import "bytes"

// sameItem reports whether two system items say the same: equal as JSON, where
// a string content equals its one text part. It is stricter than what is asked
// of history, because a blank in a system prompt is the operator's choice.
func sameItem(a, b []byte) bool {
	return bytes.Equal(a, b) || itemMeaning(a) == itemMeaning(b)
}

// itemMeaning returns a text that two items share exactly when sameItem holds.
func itemMeaning(raw []byte) string {
	t, ok := parse(raw)
	if !ok {
		return unparsed(raw)
	}
	t.plain()
	return t.String()
}

// HistoryMeaning returns a text that two items of a history share exactly when they say the
// same: equal as JSON, where a string content equals its one text part, and where what calls
// hold in the string of their arguments is JSON as well, since clients write it anew.
func HistoryMeaning(raw []byte) string {
	t, ok := parse(raw)
	if !ok {
		return unparsed(raw)
	}
	t.plain()
	t.arguments()
	return t.String()
}

// arguments puts what calls hold in a string in its place.
func (t *tree) arguments() {
	for i := range t.kids {
		switch kid := &t.kids[i]; kid.key {
		case "arguments":
			if inner, ok := parse([]byte(kid.text)); ok && kid.kind == '"' {
				inner.key = kid.key
				*kid = inner
			}
		case "tool_calls", "function", "function_call", "": // and the elements of an array
			kid.arguments()
		}
	}
}

// plain makes a content of one text part that text.
func (t *tree) plain() {
	if t.kind == '{' {
		for i, kid := range t.kids {
			if kid.key == "content" && kid.kind == '[' && len(kid.kids) == 1 {
				if text, ok := onlyText(kid.kids[0]); ok {
					t.kids[i] = tree{kind: '"', key: kid.key, text: text}
				}
			}
		}
	}
}

// onlyText returns the text of a part that is {"type":"text","text":…} and
// nothing more.
func onlyText(part tree) (string, bool) {
	if part.kind != '{' || len(part.kids) != 2 {
		return "", false
	}
	text, kind := part.kids[0], part.kids[1] // by key
	if text.key != "text" || text.kind != '"' || kind.key != "type" || kind.kind != '"' || kind.text != "text" {
		return "", false
	}
	return text.text, true
}
