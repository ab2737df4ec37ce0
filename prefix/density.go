package prefix

// A sample is some of a text, and the pieces that a tokenizer would cut it into. Its only
// use is to compare two texts: tools, which are JSON and short words, come to more tokens a
// byte than prose does, by a ratio that holds for all tokenizers in use.
type sample struct{ bytes, pieces int64 }

// A sample takes so many bytes of each part, and in all. More says no more.
const (
	samplePart = 1 << 10
	sampleAll  = 32 << 10
)

// with returns s with some of one more part.
func (s sample) with(raw []byte) sample {
	if s.bytes >= sampleAll || len(raw) == 0 {
		return s
	}
	raw = raw[:min(len(raw), samplePart)]
	return sample{s.bytes + int64(len(raw)), s.pieces + pieces(raw)}
}

// denser returns how many tokens a byte of s has for one a byte of other; 1 when either
// tells nothing.
func (s sample) denser(other sample) float64 {
	if s.pieces == 0 || other.pieces == 0 {
		return 1
	}
	return float64(s.pieces) / float64(s.bytes) * float64(other.bytes) / float64(other.pieces)
}

// pieces counts about the tokens of a JSON text as a template prints it: words with the
// space ahead of them, a third of a number, pairs of signs, and line breaks, each behind its
// backslash. A long word is in pieces; other scripts have about one for three bytes.
func pieces(text []byte) (n int64) {
	const (
		blank = iota
		letter
		digit
		sign
		other
	)
	longest := [...]int{blank: 0, letter: 8, digit: 3, sign: 2, other: 3}
	last, run := blank, 0
	for _, c := range text {
		kind := sign
		switch {
		case c == ' ':
			kind = blank
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			kind = letter
		case '0' <= c && c <= '9':
			kind = digit
		case c >= 0x80:
			kind = other
		}
		if kind != last || run == longest[kind] {
			last, run = kind, 0
			if kind != blank {
				n++
			}
		}
		run++
	}
	return n
}
