package tools

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"unicode/utf8"
)

// A span is the part [start, end) of some JSON text. The zero span stands for
// a value that is absent.
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end:s.end] }

func (s span) absent() bool { return s.end == 0 }

// The functions below walk JSON that json.Valid has accepted. They need not
// check it again, so each is one loop that cannot fail.

// whole returns the span of the one value in b.
func whole(b []byte) span {
	start := space(b, 0)
	return span{start, skip(b, start)}
}

// members yields the key and value of each member of the object at s, nothing
// if s is another value. A key's span includes its quotes.
func members(b []byte, s span) iter.Seq2[span, span] {
	return func(yield func(key, value span) bool) {
		if kind(b, s) != '{' {
			return
		}
		for i := space(b, s.start+1); b[i] != '}'; {
			key := span{i, skip(b, i)}
			i = space(b, space(b, key.end)+1) // past the colon
			value := span{i, skip(b, i)}
			if !yield(key, value) {
				return
			}
			if i = space(b, value.end); b[i] == ',' {
				i = space(b, i+1)
			}
		}
	}
}

// elements yields each element of the array at s, nothing if s is another value.
func elements(b []byte, s span) iter.Seq[span] {
	return func(yield func(span) bool) {
		if kind(b, s) != '[' {
			return
		}
		for i := space(b, s.start+1); b[i] != ']'; {
			value := span{i, skip(b, i)}
			if !yield(value) {
				return
			}
			if i = space(b, value.end); b[i] == ',' {
				i = space(b, i+1)
			}
		}
	}
}

// name returns the decoded key at s.
func name(b []byte, key span) []byte {
	escaped := b[key.start+1 : key.end-1 : key.end-1]
	if bytes.IndexByte(escaped, '\\') >= 0 {
		return []byte(unescape(escaped))
	}
	return escaped
}

// kind returns the first byte of the value at s: one of {["tfn-0…9, or 0 if it
// is absent.
func kind(b []byte, s span) byte {
	if s.absent() {
		return 0
	}
	return b[s.start]
}

// given reports whether s is present and not null.
func given(b []byte, s span) bool {
	k := kind(b, s)
	return k != 0 && k != 'n'
}

// body returns the escaped body of the JSON string at s, without its quotes.
func body(b []byte, s span) (escaped []byte, ok bool) {
	if kind(b, s) != '"' {
		return nil, false
	}
	return b[s.start+1 : s.end-1 : s.end-1], true
}

// text returns the decoded JSON string at s, "" if it is another value.
func text(b []byte, s span) string {
	escaped, _ := body(b, s)
	return unescape(escaped)
}

// unescape decodes the escaped body of a JSON string. What no Go string can
// hold, such as half a surrogate pair, becomes U+FFFD.
func unescape(escaped []byte) string {
	if bytes.IndexByte(escaped, '\\') < 0 && utf8.Valid(escaped) {
		return string(escaped)
	}
	var s string
	_ = json.Unmarshal(quoted(escaped), &s) // cannot fail: it was valid where it came from
	return s
}

// quoted returns the JSON string with this escaped body.
func quoted(escaped []byte) []byte {
	b := make([]byte, 0, len(escaped)+2)
	return append(append(append(b, '"'), escaped...), '"')
}

// quote encodes s as a JSON string. Only what must be escaped is: a model may
// see these bytes, and "<" is shorter than "\u003c".
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes; invalid UTF-8 becomes U+FFFD
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// escape returns the escaped body of s as a JSON string.
func escape(s string) []byte {
	q := quote(s)
	return q[1 : len(q)-1]
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skip returns the end of the value that starts at i.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		for i++; ; {
			i += bytes.IndexByte(b[i:], '"') + 1
			slashes := 0
			for b[i-2-slashes] == '\\' {
				slashes++
			}
			if slashes%2 == 0 {
				return i
			}
		}
	case '{', '[':
		for depth := 0; ; {
			switch b[i] {
			case '"':
				i = skip(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(b) && strings.IndexByte(",]} \n\t\r", b[i]) < 0 {
		i++
	}
	return i
}
