package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"trunkline/prefix"
	"trunkline/proxy/sse"
	"trunkline/tools"
)

// errBroken wraps what ended a provider's answer before its end.
var errBroken = errors.New("the provider's answer broke off")

// transparent relays a request that is understood, and measures it: the very bytes go
// up, and the very bytes come back.
func (s *Server) transparent(r *http.Request, out *reply, info *RequestInfo, body *prefix.Body) error {
	resp, err := s.up.do(r.Context(), outgoing{
		method: r.Method, url: r.URL, header: r.Header, plain: true,
		body: bytes.NewReader(body.Raw), length: int64(len(body.Raw)),
	})
	if err != nil {
		return gone(r.Context(), err)
	}
	defer resp.Body.Close()
	out.start(resp, true)
	p := &pipe{src: resp.Body, out: out}
	var answer tools.Answer
	if isStream(resp) {
		err = watch(p, s.EventMax, &answer)
	} else {
		_, err = io.Copy(io.Discard, p)
	}
	if resp.StatusCode >= 300 && err == nil {
		info.Outcome = OutcomeProvider
	}
	return relayError(r.Context(), p, err)
}

// pass relays any other request, bodies unread.
func (s *Server) pass(r *http.Request, out *reply) error {
	resp, err := s.up.do(r.Context(), outgoing{
		method: r.Method, url: r.URL, header: r.Header, body: r.Body, length: r.ContentLength,
	})
	if err != nil {
		return gone(r.Context(), err)
	}
	defer resp.Body.Close()
	out.start(resp, true)
	p := &pipe{src: resp.Body, out: out}
	_, err = io.Copy(io.Discard, p)
	return relayError(r.Context(), p, err)
}

// watch reads a stream to its end, noting the answer in it.
func watch(src io.Reader, max int, answer *tools.Answer) error {
	events := sse.NewReader(src, max)
	for {
		ev, err := events.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		observe(answer, ev)
	}
}

// observe adds an event to the answer.
func observe(answer *tools.Answer, ev sse.Event) {
	switch {
	case ev.Uninspected:
		answer.Skip()
	case !ev.Incomplete && len(ev.Data) > 0:
		answer.Event(ev.Name, ev.Data)
	}
}

// relayError tells the client's failures from the provider's.
func relayError(ctx context.Context, p *pipe, err error) error {
	switch {
	case err == nil:
		return nil
	case p.fail != nil:
		return p.fail
	}
	p.out.open = true // a transparent answer is never given an event that is not the provider's
	return gone(ctx, fmt.Errorf("%w: %w", errBroken, err))
}

// gone marks an error that is only the echo of the client's leaving.
func gone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return err
}

func isStream(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && kind == "text/event-stream"
}
