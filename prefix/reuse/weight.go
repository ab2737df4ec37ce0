package reuse

import (
	"bytes"
	"unicode/utf8"

	"trunkline/prefix"
)

// A Weight is the size of what a provider's tokenizer reads of a part, measured in two ways,
// since tokenizers differ in which of them they follow: the bytes of the text, and the
// pieces that common vocabularies cut it into. Text is what strings say once decoded: JSON's
// quotes, keys and escapes are not in the prompt. Neither are roles, types and ids, and the
// data of pictures, whose tokens nobody can tell from their bytes.
type Weight struct{ Text, Pieces int64 }

// around is what a template prints around a message: about four tokens, and twice that around
// a call in it. The rate that reports show takes up some of what is left of the difference.
func around() Weight { return Weight{Text: 16, Pieces: 4} }

// maxWeighed bounds what is read of one string, in bytes; the rest is taken to be alike.
const maxWeighed = 64 << 10

func (w Weight) plus(o Weight) Weight  { return Weight{w.Text + o.Text, w.Pieces + o.Pieces} }
func (w Weight) minus(o Weight) Weight { return Weight{w.Text - o.Text, w.Pieces - o.Pieces} }

// weighItem weighs one item of a history. Text that is not JSON is weighed as it stands.
func weighItem(raw []byte) Weight {
	w := around()
	if clean := bytes.TrimLeft(raw, " \t\r\n"); len(clean) > 0 && (clean[0] == '{' || clean[0] == '[' || clean[0] == '"') {
		if err := prefix.EachString(raw, w.quoted); err == nil {
			return w
		}
	}
	return around().plus(weighRaw(raw))
}

// weighRaw weighs what a template prints as JSON, such as tools.
func weighRaw(raw []byte) (w Weight) {
	w.text(raw, false)
	return w
}

// unweighed are the guesses for n bytes of a part whose text is not at hand.
func unweighed(n int64) Weight { return Weight{Text: n, Pieces: n / 4} }

// quoted adds a string as it is written. key is that of the member that holds it.
func (w *Weight) quoted(key, text []byte) {
	if !printed(key) {
		return
	}
	if string(key) == `"arguments"` {
		*w = w.plus(around()).plus(around())
	}
	if s := text[1 : len(text)-1]; !bytes.HasPrefix(s, []byte("data:")) {
		w.text(s, true)
	}
}

// printed reports whether templates print the string that a member of this key holds.
func printed(key []byte) bool {
	switch string(key) {
	case `"role"`, `"type"`, `"id"`, `"call_id"`, `"tool_call_id"`, `"tool_use_id"`, `"status"`, `"format"`, `"detail"`,
		`"url"`, `"data"`, `"file_data"`, `"file_id"`, `"media_type"`,
		`"signature"`, `"encrypted_content"`, `"thought_signature"`, `"reasoning_signature"`, `"thinking_signature"`:
		return false
	}
	return true
}

// The kinds of characters that a piece does not mix.
const (
	pieceBlank = iota // belongs to what follows
	pieceLetter
	pieceDigit
	pieceSign
	pieceOther
	pieceLine
)

// text adds a text, which is escaped as in a JSON string. Its pieces are words with the
// space ahead of them, thirds of numbers, pairs of signs, and line breaks with their
// indentation. A long word is in pieces; other scripts have about one for three bytes.
func (w *Weight) text(s []byte, escaped bool) {
	longest := [...]int64{pieceBlank: 0, pieceLetter: 8, pieceDigit: 3, pieceSign: 2, pieceOther: 3, pieceLine: 8}
	part := s[:min(len(s), maxWeighed)]
	var text, pieces, run int64
	last := pieceBlank
	for i := 0; i < len(part); i++ {
		c, size := part[i], int64(1)
		if escaped && c == '\\' && i+1 < len(part) {
			i++
			switch c = part[i]; c {
			case 'n', 't', 'r', 'b', 'f':
				c = '\n'
			case 'u':
				c, size = unescaped(part[i+1:])
				i += 4
			}
		}
		kind := pieceSign
		switch {
		case c == ' ':
			kind = pieceBlank
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			kind = pieceLetter
		case '0' <= c && c <= '9':
			kind = pieceDigit
		case c >= utf8.RuneSelf:
			kind = pieceOther
		case c < ' ':
			kind = pieceLine
		}
		text += size
		if kind != last || run >= longest[kind] {
			last, run = kind, 0
			if kind != pieceBlank {
				pieces++
			}
		}
		run += size
	}
	if len(part) < len(s) {
		text = text * int64(len(s)) / int64(len(part))
		pieces = pieces * int64(len(s)) / int64(len(part))
	}
	*w = w.plus(Weight{text, pieces})
}

// unescaped returns the first byte of the character that four hexadecimal digits name, and
// its size in bytes. Each half of a surrogate pair is two of the four.
func unescaped(digits []byte) (first byte, size int64) {
	var r rune
	for _, c := range digits[:min(4, len(digits))] {
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		r = r<<4 | rune(c)
	}
	switch {
	case r < utf8.RuneSelf:
		return byte(r), 1
	case r < 0x800, 0xD800 <= r && r < 0xE000:
		return utf8.RuneSelf, 2
	}
	return utf8.RuneSelf, 3
}
