package prefix

import "slices"

// AppendText returns a copy of an item with text added at the end of its
// content: a string grows, an array gets one more text part, a null or absent
// content becomes the string. Every old byte stays. It reports false for
// anything else.
func AppendText(item []byte, text string) ([]byte, bool) { return addText(item, text, false) }

// PrependText is AppendText at the beginning of the content.
func PrependText(item []byte, text string) ([]byte, bool) { return addText(item, text, true) }

func addText(item []byte, text string, front bool) ([]byte, bool) {
	members, err := Members(item)
	if err != nil {
		return nil, false
	}
	content := contentOf(members)
	if content < 0 {
		add := append([]byte(`"content":`), Quote(text)...)
		at := skipSpace(item, 0) + 1
		if n := len(members); n > 0 {
			at = members[n-1].Value.End
			add = append([]byte(","), add...)
		}
		return replace(item, Span{at, at}, add), true
	}
	value := members[content].Value
	inner := Span{value.Start + 1, value.Start + 1}
	if !front {
		inner = Span{value.End - 1, value.End - 1}
	}
	switch raw := value.Of(item); raw[0] {
	case '"':
		return replace(item, inner, appendEscaped(nil, text)), true
	case '[':
		part := append(append([]byte(`{"type":"text","text":`), Quote(text)...), '}')
		if skipSpace(raw, 1) < len(raw)-1 { // not empty
			if front {
				part = append(part, ',')
			} else {
				part = append([]byte(","), part...)
			}
		}
		return replace(item, inner, part), true
	case 'n':
		return replace(item, value, Quote(text)), true
	}
	return nil, false
}

// contentOf returns which of an item's members is its content, -1 when none is. The last one
// counts, as most decoders read it.
func contentOf(members []Member) int {
	for i, m := range slices.Backward(members) {
		if m.Name == "content" {
			return i
		}
	}
	return -1
}

// replace returns a copy of b with a span replaced.
func replace(b []byte, s Span, with []byte) []byte {
	return slices.Concat(b[:s.Start], with, b[s.End:])
}
