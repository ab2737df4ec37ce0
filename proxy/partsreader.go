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

func (r *partsReader) Read(p []byte) (int, error) {
	for len(r.parts) > 0 && r.at == len(r.parts[0]) {
		r.parts, r.at = r.parts[1:], 0
	}
	if len(r.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.parts[0][r.at:])
	r.at += n
	return n, nil
}
