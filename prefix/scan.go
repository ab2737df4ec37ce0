package prefix

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// maxDepth is how deep arrays and objects may nest: what encoding/json allows,
// so that every Go provider behind the proxy draws the same line.
const maxDepth = 10_000

// A SyntaxError says where a text stops being JSON. Accepted and refused texts
// are exactly those of encoding/json.Valid: lone surrogate escapes and invalid
// UTF-8 inside strings pass, because the client's bytes are the client's.
type SyntaxError struct {
	Offset int // in bytes from the start of the text; its length where the text ends too early
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Msg)
}

// A DuplicateKeyError names a key that occurs twice in an object in which two
// readers could pick different ones.
type DuplicateKeyError struct {
	Key    string // decoded
	Offset int    // in bytes, of the second key's opening quote
}

func (e *DuplicateKeyError) Error() string {
	return fmt.Sprintf("repeated key %q at byte %d", e.Key, e.Offset)
}

// A Span is a range of bytes, End exclusive.
type Span struct{ Start, End int }

// Of returns the span's bytes of b, with their capacity capped: appending to
// them never writes into b.
func (s Span) Of(b []byte) []byte { return b[s.Start:s.End:s.End] }

// Len is the span's length in bytes.
func (s Span) Len() int { return s.End - s.Start }

// scanValue scans the JSON value that starts at b[i], without white space
// before it, and returns its end.
func scanValue(b []byte, i int) (end int, err error) { return scanNested(b, i, 0) }

// scanNested is scanValue inside depth open containers.
func scanNested(b []byte, i, depth int) (end int, err error) {
	if i >= len(b) {
		return i, truncated(b)
	}
	switch c := b[i]; c {
	case '"':
		return scanString(b, i)
	case '{':
		return scanObject(b, i, depth, nil)
	case '[':
		return scanArray(b, i, depth, nil)
	case 't':
		return scanLiteral(b, i, "true")
	case 'f':
		return scanLiteral(b, i, "false")
	case 'n':
		return scanLiteral(b, i, "null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return scanNumber(b, i)
		}
		return i, unexpected(b, i, "a value")
	}
}

// scanObject scans the object whose brace is b[i], inside depth open
// containers. member, when given, scans each value that starts at b[at], so that
// a caller can look inside in the same pass; key has its quotes.
func scanObject(b []byte, i, depth int, member func(key Span, at int) (int, error)) (end int, err error) {
	if depth++; depth > maxDepth {
		return i, &SyntaxError{i, "nested too deep"}
	}
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return i, unexpected(b, i, "a key")
		}
		key := Span{Start: i}
		if i, err = scanString(b, i); err != nil {
			return i, err
		}
		key.End = i
		if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
			return i, unexpected(b, i, "a colon")
		}
		i = skipSpace(b, i+1)
		if member != nil {
			i, err = member(key, i)
		} else {
			i, err = scanNested(b, i, depth)
		}
		if err != nil {
			return i, err
		}
		if i = skipSpace(b, i); i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
			continue
		}
		if i < len(b) && b[i] == '}' {
			return i + 1, nil
		}
		return i, unexpected(b, i, "a comma or a closing brace")
	}
}

// scanArray scans the array whose bracket is b[i], inside depth open
// containers. element, when given, scans each element that starts at b[at].
func scanArray(b []byte, i, depth int, element func(at int) (int, error)) (end int, err error) {
	if depth++; depth > maxDepth {
		return i, &SyntaxError{i, "nested too deep"}
	}
	if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		if element != nil {
			i, err = element(i)
		} else {
			i, err = scanNested(b, i, depth)
		}
		if err != nil {
			return i, err
		}
		if i = skipSpace(b, i); i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
			continue
		}
		if i < len(b) && b[i] == ']' {
			return i + 1, nil
		}
		return i, unexpected(b, i, "a comma or a closing bracket")
	}
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// scanString scans the string whose opening quote is b[i].
func scanString(b []byte, i int) (end int, err error) {
	for i++; ; {
		// Eight bytes at a time: a set high bit marks a quote, a backslash or a
		// control character. A borrow can only mark bytes above a true one, so
		// the lowest mark is exact.
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote, slash := w^('"'*everyByte), w^('\\'*everyByte)
			stop := ((w-' '*everyByte)&^w | (quote-everyByte)&^quote | (slash-everyByte)&^slash) & highBits
			if stop != 0 {
				i += bits.TrailingZeros64(stop) / 8
				break
			}
			i += 8
		}
		if i >= len(b) {
			return i, truncated(b)
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			if i, err = scanEscape(b, i); err != nil {
				return i, err
			}
		case c < ' ':
			return i, unexpected(b, i, "a string without control characters")
		default:
			i++
		}
	}
}

// scanEscape scans the escape whose backslash is b[i].
func scanEscape(b []byte, i int) (end int, err error) {
	if i++; i >= len(b) {
		return i, truncated(b)
	}
	switch b[i] {
	case 'n', '"', '\\', 't', 'r', '/', 'b', 'f':
		return i + 1, nil
	case 'u':
		for end = i + 5; ; {
			if i++; i == end {
				return end, nil
			}
			if i >= len(b) || !isHex(b[i]) {
				return i, unexpected(b, i, "a hexadecimal digit")
			}
		}
	}
	return i, unexpected(b, i, "an escape character")
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// scanNumber scans the number whose minus sign or first digit is b[i].
func scanNumber(b []byte, i int) (end int, err error) {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i, err = scanDigits(b, i); err != nil {
		return i, err
	}
	if i < len(b) && b[i] == '.' {
		if i, err = scanDigits(b, i+1); err != nil {
			return i, err
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return scanDigits(b, i)
	}
	return i, nil
}

// scanDigits scans one or more digits.
func scanDigits(b []byte, i int) (end int, err error) {
	for end = i; end < len(b) && '0' <= b[end] && b[end] <= '9'; {
		end++
	}
	if end == i {
		return i, unexpected(b, i, "a digit")
	}
	return end, nil
}

func scanLiteral(b []byte, i int, word string) (end int, err error) {
	for k := range len(word) {
		if i+k >= len(b) || b[i+k] != word[k] {
			return i + k, unexpected(b, i+k, word)
		}
	}
	return i + len(word), nil
}

// skipSpace returns the index of the first byte at or after i that is not white
// space, or len(b).
func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// unexpected reports that b[i] is not what the grammar wants there.
func unexpected(b []byte, i int, want string) error {
	if i >= len(b) {
		return truncated(b)
	}
	return &SyntaxError{i, fmt.Sprintf("%q where %s is expected", b[i:i+1], want)}
}

func truncated(b []byte) error { return &SyntaxError{len(b), "unexpected end"} }
