package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

// errClientGone is the cause when the client has left: nobody is there to be answered.
var errClientGone = errors.New("the client has left")

// upload is a request's body as it comes. It may be read by another goroutine than the
// one that asks for its error.
type upload struct {
	src  io.Reader
	fail atomic.Pointer[error]
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.src.Read(p)
	if err != nil && err != io.EOF {
		u.fail.Store(&err)
	}
	return n, err
}

// error says why the body did not come whole, nil as long as nothing is wrong with it: the
// connection broke, or the client does not keep to the transfer coding.
func (u *upload) error() error {
	fail := u.fail.Load()
	var network net.Error
	switch {
	case fail == nil:
		return nil
	case errors.Is(*fail, io.ErrUnexpectedEOF), errors.Is(*fail, io.ErrClosedPipe), errors.As(*fail, &network):
		return fmt.Errorf("%w: %w", errClientGone, *fail)
	}
	return &Error{Status: 400, Code: "bad_body", Message: "the request body cannot be read: " + (*fail).Error()}
}
