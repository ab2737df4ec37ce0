package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// errClientGone is the cause when the client has left: nobody is there to be answered.
var errClientGone = errors.New("the client has left")

// errStalled is the cause when the client has fallen silent within its request's body. The
// server ends the request's context as if it had left, but it may still read.
var errStalled = &Error{Status: http.StatusRequestTimeout, Code: "body_timeout",
	Message: fmt.Sprintf("the request body stopped coming: nothing of it came for %s", uploadIdle)}

// uploadIdle bounds the silence within a request's body. How long the whole takes is the
// client's affair.
const uploadIdle = time.Minute

// steadyBody is a request's body whose client must not fall silent. It may be read by
// another goroutine than the handler's.
type steadyBody struct {
	io.ReadCloser
	rc *http.ResponseController
}

// steady bounds the silence within a request's body, whoever reads it: the handler, the
// transport that passes it on, or the server, which takes what a handler has left of it.
func steady(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	b := &steadyBody{r.Body, http.NewResponseController(w)}
	b.wait(uploadIdle)
	r = r.WithContext(r.Context()) // the server looks at its own request's body
	r.Body = b
	return r
}

// wait gives the client this long for its next byte, or any time.
func (b *steadyBody) wait(d time.Duration) {
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	_ = b.rc.SetReadDeadline(until) // a ResponseWriter without deadlines has no client to wait for
}

func (b *steadyBody) Read(p []byte) (int, error) {
	b.wait(uploadIdle)
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		// Behind the body the server reads on, to notice a client that leaves. A body that
		// a handler has left is the server's, and the connection another request's.
		b.wait(0)
	}
	return n, err
}

// upload is a request's body as it comes. It may be read by another goroutine than the
// one that asks how it ended.
type upload struct {
	src io.Reader
	end atomic.Pointer[error] // io.EOF when it came whole; nil: it has not ended
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.src.Read(p)
	if err != nil {
		u.end.Store(&err)
	}
	return n, err
}

// whole reports whether the body has come to its end.
func (u *upload) whole() bool {
	end := u.end.Load()
	return end != nil && *end == io.EOF
}

// error says why the body did not come whole, nil as long as nothing is wrong with it: the
// client fell silent, the connection broke, or the client does not keep to the transfer
// coding.
func (u *upload) error() error {
	end := u.end.Load()
	var network net.Error
	switch {
	case end == nil || *end == io.EOF:
		return nil
	case errors.Is(*end, os.ErrDeadlineExceeded):
		return errStalled
	case errors.Is(*end, io.ErrUnexpectedEOF), errors.Is(*end, io.ErrClosedPipe), errors.As(*end, &network):
		return fmt.Errorf("%w: %w", errClientGone, *end)
	}
	return &Error{Status: 400, Code: "bad_body", Message: "the request body cannot be read: " + (*end).Error()}
}
