package prefix

import (
	"bytes"
	"slices"
	"strings"
)

// sameJSON reports whether two JSON values mean the same: the order of an
// object's members, white space and the way a string is escaped are irrelevant.
// Numbers are compared by their text, so nothing is rounded. Members that share
// a key are compared in the order written, so a repeated key is never taken for
// a single one. Text that is not JSON equals only the same bytes.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, okX := parse(a)
	y, okY := parse(b)
	return okX && okY && sameTree(x, y)
}

// A tree is a parsed value in which what does not matter is gone. It is built
// in one pass, so that comparing costs no more than the size of both texts
// however deep they nest.
type tree struct {
	kind byte   // the value's first byte, 0 for a number or literal
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
	switch b[i] {
	case '{':
		t.kind = '{'
		end, err = scanObject(b, i, depth, func(key Span, at int) (int, error) {
			kid := tree{}
			end, err := parseAt(b, at, depth+1, &kid)
			kid.key = exactText(key.Of(b))
			t.kids = append(t.kids, kid)
			return end, err
		})
		slices.SortStableFunc(t.kids, func(x, y tree) int { return strings.Compare(x.key, y.key) })
	case '[':
		t.kind = '['
		end, err = scanArray(b, i, depth, func(at int) (int, error) {
			kid := tree{}
			end, err := parseAt(b, at, depth+1, &kid)
			t.kids = append(t.kids, kid)
			return end, err
		})
	case '"':
		t.kind = '"'
		if end, err = scanString(b, i); err == nil {
			t.text = exactText(b[i:end])
		}
	default:
		if end, err = scanNested(b, i, depth); err == nil {
			t.text = string(b[i:end])
		}
	}
	return end, err
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

func sameTree(a, b tree) bool {
	return a.kind == b.kind && a.key == b.key && a.text == b.text && slices.EqualFunc(a.kids, b.kids, sameTree)
}
