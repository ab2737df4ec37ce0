package proxy

import "io"

// partsReader reads parts one after another, and leaves them as they are: they alias a
// client's body, and may be read once more.
type partsReader struct {
	parts [][]byte
	at    int // bytes of parts[0] that are read
}

// size is the length of all parts, in bytes.
func size(parts [][]byte) int64 {
	var n int64
	for _, p := range parts {
		n += int64(len(p))
	}
	return n
}

func (r *partsReader) Read(p []byte) (n int, err error) {
	for len(r.parts) > 0 && n < len(p) {
		k := copy(p[n:], r.parts[0][r.at:])
		n, r.at = n+k, r.at+k
		if r.at == len(r.parts[0]) {
			r.parts, r.at = r.parts[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
