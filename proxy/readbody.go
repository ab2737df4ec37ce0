package proxy

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// readBody reads a request's body whole, decoded, at most MaxBody bytes of it. The
// declared length sizes the buffer, so a large plain body costs one copy of itself.
func (s *Server) readBody(r *http.Request) ([]byte, error) {
	tooLarge := &Error{Status: 413, Code: "body_too_large",
		Message: fmt.Sprintf("the request body has more than %d bytes (--max-body)", s.MaxBody)}
	if r.ContentLength > s.MaxBody {
		return nil, tooLarge
	}
	var src io.Reader = r.Body
	size := max(r.ContentLength, 0)
	switch coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, badEncoding("gzip", err)
		}
		src, size = z, 0
	case "zstd":
		z, err := zstd.NewReader(r.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(s.MaxBody)+1<<20))
		if err != nil {
			return nil, badEncoding("zstd", err)
		}
		defer z.Close()
		src, size = z, 0
	default:
		return nil, &Error{Status: 415, Code: "unknown_encoding", Param: "Content-Encoding",
			Message: fmt.Sprintf("Content-Encoding %q is not understood; gzip, zstd and identity are", coding)}
	}
	var buf bytes.Buffer
	buf.Grow(int(size) + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(src, s.MaxBody+1)); err != nil {
		if size == 0 && r.Header.Get("Content-Encoding") != "" && r.Context().Err() == nil {
			if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
				return nil, tooLarge
			}
			return nil, badEncoding(r.Header.Get("Content-Encoding"), err)
		}
		return nil, fmt.Errorf("%w: %w", errClientGone, err)
	}
	if int64(buf.Len()) > s.MaxBody {
		return nil, tooLarge
	}
	// The server watches for a lost client only once the body is at its end.
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, fmt.Errorf("%w: %w", errClientGone, err)
	}
	return buf.Bytes(), nil
}

func badEncoding(coding string, err error) *Error {
	return &Error{Status: 400, Code: "bad_encoding", Param: "Content-Encoding",
		Message: fmt.Sprintf("the request body is not valid %s: %v", coding, err)}
}

// errClientGone is the cause when the client has left: nobody is there to be answered.
var errClientGone = errors.New("the client has left")
