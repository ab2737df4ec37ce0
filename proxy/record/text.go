package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// A Text is the bytes of a body, in one or more parts.
type Text [][]byte

// Bytes returns the text as one part, copied only when it is several.
func (t Text) Bytes() []byte {
	if len(t) == 1 {
		return t[0]
	}
	return bytes.Join(t, nil)
}

// Len returns the number of bytes.
func (t Text) Len() int {
	n := 0
	for _, part := range t {
		n += len(part)
	}
	return n
}

// UnmarshalJSON reads a string or {"base64": …}.
func (t *Text) UnmarshalJSON(raw []byte) error {
	b, err := decodeText(raw)
	*t = Text{b}
	if len(b) == 0 {
		*t = nil
	}
	return err
}

// UnmarshalJSON reads [at, body].
func (c *Chunk) UnmarshalJSON(raw []byte) error {
	var body json.RawMessage
	pair := []any{&c.At, &body}
	if err := json.Unmarshal(raw, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a chunk is not a time and a body")
	}
	var err error
	c.Data, err = decodeText(body)
	return err
}

func decodeText(raw []byte) ([]byte, error) {
	if len(raw) > 0 && raw[0] == '{' {
		var coded struct {
			Base64 []byte `json:"base64"`
		}
		err := json.Unmarshal(raw, &coded)
		return coded.Base64, err
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return []byte(s), err
}

// text writes a body. A character that straddles two parts costs only the shorter form.
func (e *encoder) text(parts ...[]byte) {
	for _, part := range parts {
		if !utf8.Valid(part) {
			e.raw(`{"base64":"`)
			to := base64.NewEncoder(base64.StdEncoding, e.w)
			for _, part := range parts {
				to.Write(part) // errors stay with the buffered writer
			}
			to.Close()
			e.raw(`"}`)
			return
		}
	}
	e.w.WriteByte('"')
	for _, part := range parts {
		e.escape(part)
	}
	e.w.WriteByte('"')
}

// escaped are the bytes that JSON does not have in a string as they are.
var escaped = func() (table [256]bool) {
	for c := range ' ' {
		table[c] = true
	}
	table['"'], table['\\'] = true, true
	return table
}()

// escape writes what stands between the quotes, escaping only what JSON demands.
func (e *encoder) escape(b []byte) {
	from := 0
	for i, c := range b {
		if !escaped[c] {
			continue
		}
		e.w.Write(b[from:i])
		from = i + 1
		switch c {
		case '"', '\\':
			e.w.WriteByte('\\')
			e.w.WriteByte(c)
		case '\n':
			e.raw(`\n`)
		case '\r':
			e.raw(`\r`)
		case '\t':
			e.raw(`\t`)
		default:
			const hex = "0123456789abcdef"
			e.raw(`\u00`)
			e.w.WriteByte(hex[c>>4])
			e.w.WriteByte(hex[c&15])
		}
	}
	e.w.Write(b[from:])
}
