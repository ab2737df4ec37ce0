package record

import (
	"crypto/sha256"
	"encoding/binary"
	"unicode/utf8"
)

// filler replaces the characters of a text one by one. What stands for a character depends
// on the secret and on all of the text before it, so that texts with a common beginning get
// fillers with a common beginning, and part where the texts part; nothing else of the text
// shows but its length, its punctuation, and which characters are letters and digits.
type filler struct{ state [sha256.Size]byte }

// next moves on behind a character and returns what hides it.
func (f *filler) next(r rune) (mask byte) {
	mask = f.state[0]
	var in [sha256.Size + 4]byte
	copy(in[:], f.state[:])
	binary.BigEndian.PutUint32(in[sha256.Size:], uint32(r))
	f.state = sha256.Sum256(in[:])
	return mask
}

// char returns what stands for a character: of the same kind and length in UTF-8, different
// for different characters, and itself for what is neither a letter nor a digit in ASCII.
func (f *filler) char(r rune) rune {
	mask := rune(f.next(r))
	switch {
	case 'a' <= r && r <= 'z':
		return 'a' + (r-'a'+mask)%26
	case 'A' <= r && r <= 'Z':
		return 'A' + (r-'A'+mask)%26
	case '0' <= r && r <= '9':
		return '0' + (r-'0'+mask)%10
	case r >= utf8.RuneSelf:
		// The last six bits are those of the last byte in UTF-8, and of an escape's last
		// two digits: both forms of a character part at the same place as before.
		return r ^ mask&0x3f
	}
	return r
}

// bytes replaces what is not UTF-8, and what is text outside of JSON.
func (f *filler) bytes(b []byte) {
	if !utf8.Valid(b) {
		for i, c := range b {
			b[i] = c ^ f.next(rune(c))
		}
		return
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		utf8.EncodeRune(b[i:i+n], f.char(r))
		i += n
	}
}
