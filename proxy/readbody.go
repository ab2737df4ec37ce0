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

// maxWindow bounds the memory that a zstd body may ask for: what RFC 9659 allows it.
const maxWindow = 8 << 20

// trusted is how much of a declared length is believed before any of it has come.
const trusted = 1 << 20

// readBody reads a request's body whole, decoded, at most MaxBody bytes of it. The result
// has little room to spare: it lives as long as the answer, and release must be called then.
func (s *Server) readBody(r *http.Request) (body []byte, release func(), err error) {
	held := &part{of: &s.inflight}
	if body, err = s.readInto(held, r); err != nil {
		held.release()
		return nil, nil, err
	}
	return body, held.release, nil
}

func (s *Server) readInto(held *part, r *http.Request) ([]byte, error) {
	tooLarge := &Error{Status: 413, Code: "body_too_large",
		Message: fmt.Sprintf("the request body has more than %d bytes (--max-body)", s.MaxBody)}
	if r.ContentLength > s.MaxBody {
		return nil, tooLarge
	}
	up := &upload{src: r.Body}
	src, size := io.Reader(up), max(r.ContentLength, 0)
	coding := strings.Join(codings(r.Header), ", ")
	var err error
	switch coding {
	case "":
	case "gzip", "x-gzip":
		src, err = gzip.NewReader(up)
		size = 0
	case "zstd":
		var z *zstd.Decoder
		z, err = zstd.NewReader(up, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err == nil {
			defer z.Close()
		}
		src, size = z, 0
	default:
		return nil, &Error{Status: 415, Code: "unknown_encoding", Param: "Content-Encoding",
			Message: fmt.Sprintf("Content-Encoding %q is not understood; gzip, zstd and identity are", coding)}
	}
	var buf bytes.Buffer
	if err == nil {
		held.src = src
		src = io.LimitReader(held, s.MaxBody+1)
		buf.Grow(int(min(size, trusted)) + bytes.MinRead)
		_, err = buf.ReadFrom(io.LimitReader(src, trusted))
	}
	if err == nil && buf.Len() == trusted {
		buf.Grow(int(max(size-trusted, 0)) + bytes.MinRead)
		_, err = buf.ReadFrom(src)
	}
	if int64(buf.Len()) > s.MaxBody {
		return nil, tooLarge
	}
	if err == nil {
		// The server watches for a lost client only once the body is at its end.
		_, err = io.Copy(io.Discard, up)
	}
	switch broken := up.error(); {
	case errors.Is(err, errFull):
		return nil, err
	case broken != nil:
		return nil, broken
	case err != nil:
		return nil, &Error{Status: 400, Code: "bad_encoding", Param: "Content-Encoding",
			Message: fmt.Sprintf("the request body is not valid %s: %v", coding, err)}
	case buf.Available() > buf.Len()/4+bytes.MinRead:
		return bytes.Clone(buf.Bytes()), nil
	}
	return buf.Bytes(), nil
}

// codings are what a body was encoded with, in order, less what changes nothing.
func codings(h http.Header) []string {
	var applied []string
	for _, c := range tokens(h, "Content-Encoding") {
		if c != "identity" {
			applied = append(applied, c)
		}
	}
	return applied
}
