package prefix

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// SameJSON reports whether two JSON values mean the same: the order of an
// object's members, white space and the way a string is escaped are irrelevant.
// Numbers are compared by their text, so nothing is rounded. Members that share
// a key are compared in the order written, so a repeated key is never taken for
// a single one. Text that is not JSON equals only the same bytes.
func SameJSON(a, b []byte) bool {
	return bytes.Equal(a, b) || meaning(a) == meaning(b)
}

// meaning returns a text that two values share exactly when SameJSON holds.
func meaning(raw []byte) string {
	t, ok := parse(raw)
	if !ok {
		return unparsed(raw)
	}
	return t.String()
}

// unparsed is the meaning of a text that is not JSON. No tree's starts with
// this byte.
func unparsed(raw []byte) string { return "\xff" + string(raw) }

// A tree is a parsed value in which what does not matter is gone. It is built
// and written in one pass each, so that the cost stays that of the text however
// deep it nests.
type tree struct {
	kind byte   // '{', '[', '"', or 'v' for a number or literal
	key  string // in an object: its member's key
	text string // decoded string, or the text of a number or literal
	kids []tree // an object's by key, an array's in order
}

func parse(b []byte) (t tree, ok bool) {
	end, err := parseAt(b, skipSpace(b, 0), 0, &t)
	return t, err == nil && atEnd(b, end) == nil
}

func parseAt(b []byte, i, depth int, t *tree) (end int, err error) {
	if i >= len(b) {
		return i, truncated(b)
	}
	t.kind = b[i]
	switch t.kind {
	case '{':
		end, err = scanObject(b, i, depth, func(key Span, at int) (int, error) {
			kid := tree{}
			end, err := parseAt(b, at, depth+1, &kid)
			kid.key = exactText(key.Of(b))
			t.kids = append(t.kids, kid)
			return end, err
		})
		slices.SortStableFunc(t.kids, func(x, y tree) int { return strings.Compare(x.key, y.key) })
	case '[':
		end, err = scanArray(b, i, depth, func(at int) (int, error) {
			kid := tree{}
			end, err := parseAt(b, at, depth+1, &kid)
			t.kids = append(t.kids, kid)
			return end, err
		})
	case '"':
		if end, err = scanString(b, i); err == nil {
			t.text = exactText(b[i:end])
		}
	default:
		t.kind = 'v'
		if end, err = scanNested(b, i, depth); err == nil {
			t.text = string(b[i:end])
		}
	}
	return end, err
}

// String writes the tree so that no two different ones share a text.
func (t tree) String() string { return string(t.appendTo(nil)) }

// appendTo writes every part behind its length.
func (t tree) appendTo(out []byte) []byte {
	out = appendFramed(append(out, t.kind), t.key)
	out = binary.AppendUvarint(appendFramed(out, t.text), uint64(len(t.kids)))
	for _, kid := range t.kids {
		out = kid.appendTo(out)
	}
	return out
}

// exactText decodes a scanned string. One that decodes with a loss (a lone
// surrogate, invalid UTF-8) keeps its raw bytes behind a byte that no decoded
// text holds, so that it equals only itself.
func exactText(raw []byte) string {
	s, _ := Text(raw)
	if strings.ContainsRune(s, '\uFFFD') {
		return "\xff" + string(raw)
	}
	return s
}
