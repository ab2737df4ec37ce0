package proxy

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// errFull refuses a body for which there is no memory now.
var errFull = &Error{Status: http.StatusServiceUnavailable, Code: "too_many_bodies", RetryAfter: time.Second,
	Message: "the request bodies being served fill the memory that they may take (--max-bodies)"}

// inflight bounds the memory of the bodies that are being served, in bytes. Nobody waits for
// it: whoever has a part of it may be what somebody else with a part waits for.
type inflight struct {
	limit int64
	bytes atomic.Int64
}

// part is what one body takes. One goroutine uses it.
type part struct {
	of    *inflight
	src   io.Reader
	bytes int64
}

// Read reads from src what there is memory for, else fails with errFull. A body that is alone
// is not bounded here.
func (p *part) Read(b []byte) (int, error) {
	n, err := p.src.Read(b)
	p.bytes += int64(n)
	if all := p.of.bytes.Add(int64(n)); n > 0 && all > p.of.limit && all > p.bytes {
		return 0, errFull
	}
	return n, err
}

// release gives the part back.
func (p *part) release() {
	p.of.bytes.Add(-p.bytes)
	p.bytes = 0
}
