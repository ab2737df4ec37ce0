package proxy

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// writeTimeout bounds how long one write waits for a client that does not read.
const writeTimeout = 2 * time.Minute

// reply is the client's side of a request. One goroutine uses it.
type reply struct {
	w  http.ResponseWriter
	rc *http.ResponseController
	// started: the headers are out, so a failure can only show in the body.
	started bool
	stream  bool      // the body is an event stream
	open    bool      // the last event written is not complete
	sized   bool      // the client knows how long the body is: it waits for the whole
	last    time.Time // when a part of the response went out last
}

// start sends the status and headers of the provider's response, less what concerns its
// connection only. length says whether the body will be as long as the provider's.
func (o *reply) start(resp *http.Response, length bool) {
	h := o.w.Header()
	own := h.Clone() // set before: the proxy's own headers win
	dropHopByHop(resp.Header)
	maps.Copy(h, resp.Header)
	maps.Copy(h, own)
	if !length {
		h.Del("Content-Length")
	}
	o.sized = h.Get("Content-Length") != ""
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil // none, rather than a guess of the server's
	}
	o.stream = isStream(resp.Header)
	o.w.WriteHeader(resp.StatusCode)
	o.started, o.last = true, time.Now()
	if o.stream {
		_ = o.flush() // clients do not wait for headers as long as for events; an error shows at the next write
	}
}

// startWhole is start for a body that is here, n bytes long. With its length ahead of it the
// client has the whole answer with the last byte, so what is put on record after that byte
// is true also if the process dies then and there.
func (o *reply) startWhole(resp *http.Response, n int) {
	resp.Header.Set("Content-Length", strconv.Itoa(n))
	o.start(resp, true)
}

// write sends bytes of the body. Its error wraps errClientGone.
func (o *reply) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	o.extend()
	if _, err := o.w.Write(b); err != nil {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return nil
}

// extend gives the client its time for what is written next. Without a deadline of its
// own a write would inherit the one before, which a long silence may have left behind.
func (o *reply) extend() {
	o.last = time.Now()
	o.rc.SetWriteDeadline(o.last.Add(writeTimeout))
}

// flush hands what was written to the client now.
func (o *reply) flush() error {
	o.extend()
	if err := o.rc.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return nil
}

// end leaves the end of the body to the server.
func (o *reply) end() { o.extend() }

// fail shows a failure in a response whose headers are out: as an error event where the
// stream stands between two events. The caller then breaks the transfer, so that no
// client takes this for the end of an answer. What is there of it the client gets: a
// response that breaks off, as the provider's did, and not none at all.
func (o *reply) fail(e *Error) {
	if o.stream && !o.open {
		_ = o.write(fmt.Appendf(nil, "data: %s\n\n", e.body()))
	}
	_ = o.flush()
}

// pipe writes what is read through it to the client, at once unless the body's length is
// known: reading is relaying, so nothing that looks at the bytes can delay or change them.
type pipe struct {
	src  interface{ Read([]byte) (int, error) }
	out  *reply
	fail error // of writing
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.src.Read(b)
	if n > 0 {
		if werr := p.out.write(b[:n]); werr != nil {
			p.fail = werr
			return n, werr
		}
		if p.out.sized && !p.out.stream {
			return n, err
		}
		if werr := p.out.flush(); werr != nil {
			p.fail = werr
			return n, werr
		}
	}
	return n, err
}

// inLarge is the pipe for a body that is not a stream, of this length or of -1 for an unknown
// one: read, and so written, in pieces as large as there are.
func (p *pipe) inLarge(length int64) io.Reader {
	size := int64(32 << 10)
	if length >= 0 {
		size = min(size, length)
	}
	return bufio.NewReaderSize(p, int(size))
}

// error tells the client's failures from the provider's, err, in a transparent answer:
// that one never gets an event that is not the provider's.
func (p *pipe) error(err error) error {
	switch {
	case err == nil:
		return nil
	case p.fail != nil:
		return p.fail
	}
	p.out.open = true
	return fmt.Errorf("%w: %w", errBroken, err)
}
