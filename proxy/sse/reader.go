package sse

import (
	"bytes"
	"io"
)

// DefaultMax is the ceiling of an event that is decoded, in bytes.
const DefaultMax = 16 << 20

const (
	minRead   = 4 << 10  // free space offered to each read, in bytes
	keepSpace = 64 << 10 // a larger buffer is given back once it is empty, in bytes
	maxEmpty  = 100      // reads of nothing in a row before io.ErrNoProgress, as bufio has it
)

// A Reader yields the events of a stream. It reads no further than it must to
// finish the next event.
type Reader struct {
	src io.Reader
	max int
	err error // what src ended with, told once the buffer is empty

	// buf[start:end] is read and not yet returned; buf[start:pos] is scanned.
	buf             []byte
	start, pos, end int

	line  int  // bytes seen of the line being scanned
	cr    bool // the line before ended in a CR at the edge of the buffer: an LF at pos belongs to it
	crlf  bool // the line before ended in CRLF, as far as it is buffered
	ended bool // the event being scanned is all there, but for the LF that is to be expected
	first bool // the first line of the stream is being scanned; it may begin with a byte order mark
	fresh bool // nothing was returned yet: the event being scanned is the stream's first
	long  bool // a piece of the event being scanned was returned: it is past the ceiling

	joined []byte // scratch for data of several lines
}

// NewReader returns a Reader of src. Events longer than max bytes are not
// decoded; 0 means [DefaultMax].
func NewReader(src io.Reader, max int) *Reader {
	if max <= 0 {
		max = DefaultMax
	}
	return &Reader{src: src, max: max, first: true, fresh: true}
}

// Next returns the next event. At the end of the stream it returns what is
// left as an Incomplete event, then io.EOF or the error that ended the stream.
func (r *Reader) Next() (Event, error) {
	for {
		fresh := r.fresh
		if r.scan() || r.ended && r.err != nil {
			r.ended = false
			e := r.take(r.pos)
			lines := e.Raw
			if fresh {
				lines = bytes.TrimPrefix(lines, bom)
			}
			if e.Uninspected = r.long || len(e.Raw) > r.max; !e.Uninspected {
				r.joined = e.decode(lines, r.joined)
			}
			r.long = false
			return e, nil
		}
		if n := r.end - r.start; !r.ended && (n > r.max || n > 0 && r.long) {
			r.long = true
			e := r.take(r.end)
			e.Uninspected, e.More = true, true
			return e, nil
		}
		if r.err != nil {
			return r.rest()
		}
		r.fill()
	}
}

// scan moves pos to the end of the first event in the buffer and reports
// whether it is all there.
func (r *Reader) scan() bool {
	for r.pos < r.end {
		if r.cr {
			r.cr = false
			if r.crlf = r.buf[r.pos] == '\n'; r.crlf {
				r.pos++
			}
			if r.ended {
				return true
			}
			continue
		}
		i := lineEnd(r.buf[r.pos:r.end])
		if i < 0 {
			r.line += r.end - r.pos
			r.pos = r.end
			return false
		}
		blank := r.line+i == 0 || r.first && r.fresh && bytes.Equal(r.buf[r.start:r.pos+i], bom)
		before := r.crlf
		r.pos += i + 1
		r.crlf = false
		if r.buf[r.pos-1] == '\r' {
			r.cr = r.pos == r.end
			if r.crlf = !r.cr && r.buf[r.pos] == '\n'; r.crlf {
				r.pos++
			}
		}
		r.line, r.first = 0, false
		if r.ended = blank && r.cr && before; blank && !r.ended {
			return true
		}
	}
	return false
}

// take returns buf[start:to] as an event and steps past it.
func (r *Reader) take(to int) Event {
	raw := r.buf[r.start:to:to]
	r.start, r.fresh = to, false
	return Event{Raw: raw}
}

// rest returns what is left when the source has ended, then its error.
func (r *Reader) rest() (Event, error) {
	if r.start == r.end && !r.long {
		return Event{}, r.err
	}
	e := r.take(r.end)
	// The LF of a CRLF whose CR already ended an event is no event of its own.
	e.Incomplete = r.long || string(e.Raw) != "\n"
	e.Uninspected, r.long = r.long, false
	return e, nil
}

// fill reads once, or more often only if nothing came. The space of the events
// returned so far is used again.
func (r *Reader) fill() {
	if r.start == r.end {
		if cap(r.buf) > keepSpace {
			r.buf = nil
		}
		r.start, r.pos, r.end = 0, 0, 0
	}
	if cap(r.buf)-r.end < minRead {
		buf := r.buf[:cap(r.buf)]
		if n := r.end - r.start; cap(buf)-n < minRead || n > cap(buf)/2 {
			buf = make([]byte, 2*cap(buf)+minRead)
		}
		copy(buf, r.buf[r.start:r.end])
		r.buf, r.start, r.pos, r.end = buf, 0, r.pos-r.start, r.end-r.start
	}
	for range maxEmpty {
		n, err := r.src.Read(r.buf[r.end:cap(r.buf)])
		r.end += n
		if r.err = err; n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
