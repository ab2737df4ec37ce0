package prefix

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// segmentReader reads a segment's encoding. After the first error it stays
// where it is and every read returns zero.
type segmentReader struct {
	raw []byte
	at  int
	err error // *CorruptError
}

func (r *segmentReader) fail(offset int, msg string) {
	if r.err == nil {
		r.err = &CorruptError{Offset: offset, Msg: msg}
	}
}

func (r *segmentReader) byte() byte {
	if r.err != nil || r.at == len(r.raw) {
		r.fail(r.at, "cut short")
		return 0
	}
	r.at++
	return r.raw[r.at-1]
}

// int reads a minimal uvarint that fits an int32: nothing counted or measured
// here is larger.
func (r *segmentReader) int() int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.raw[r.at:])
	if n <= 0 || v > math.MaxInt32 || n > 1 && r.raw[r.at+n-1] == 0 {
		r.fail(r.at, "not a number")
		return 0
	}
	r.at += n
	return int(v)
}

// count reads how many things of at least size bytes follow, so that a false
// count cannot make us allocate more than the input justifies.
func (r *segmentReader) count(size int) int {
	start := r.at
	n := r.int()
	if n > (len(r.raw)-r.at)/size {
		r.fail(start, fmt.Sprintf("a count of %d with %d bytes left", n, len(r.raw)-r.at))
		return 0
	}
	return n
}

func (r *segmentReader) bytes() []byte {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	r.at += n
	return r.raw[r.at-n : r.at : r.at]
}

// filled reads bytes whose presence a flag announced: none would be a second
// encoding of their absence.
func (r *segmentReader) filled() []byte {
	start := r.at
	b := r.bytes()
	if len(b) == 0 {
		r.fail(start, "announced but empty")
	}
	return b
}

func (r *segmentReader) node() string {
	if r.err != nil || len(r.raw)-r.at < nodeSize {
		r.fail(r.at, "cut short")
		return ""
	}
	r.at += nodeSize
	return hex.EncodeToString(r.raw[r.at-nodeSize : r.at])
}

func (r *segmentReader) entry(e *Entry) {
	start := r.at
	flags := r.byte()
	if flags >= flagsEnd {
		r.fail(start, "unknown flags")
	}
	e.Hidden = flags&flagHidden != 0
	if e.Origin = Origin(r.byte()); e.Origin >= originCount {
		r.fail(start+1, "unknown origin")
	}
	e.Item = r.bytes()
	if flags&flagSeen != 0 {
		e.Seen = r.filled()
	}
	if flags&flagGroup != 0 {
		start = r.at
		if e.Group = r.int(); e.Group < 2 {
			r.fail(start, "a group of one")
		}
	}
	if flags&flagID != 0 {
		e.ID = string(r.filled())
	}
	if flags&flagSource != 0 {
		e.Source = r.filled()
	}
	if flags&flagHeld == 0 {
		return
	}
	start = r.at
	n := r.count(2)
	if n == 0 {
		r.fail(start, "announced but empty")
		return
	}
	e.Held = make([]Held, n)
	for i := range e.Held {
		e.Held[i].Ordinal = r.int()
		e.Held[i].Item = r.bytes()
	}
}
