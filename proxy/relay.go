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
)

// errBroken wraps what ended a provider's answer before its end.
var errBroken = errors.New("the provider's answer broke off")

// transparent relays a request that is understood, and measures it: the very bytes go
// up, and the very bytes come back. The measuring is done while the provider works.
func (s *Server) transparent(r *http.Request, out *reply, info *RequestInfo, body *prefix.Body) error {
	if model, ok := body.Field("model"); ok {
		info.Model, _ = prefix.Text(model)
	}
	measured := make(chan *measure, 1)
	go func() {
		path := prefix.PathOf(s.Provider.Render, prefix.HeadOf(body), raws(body.Items[body.LeadingSystem():]))
		measured <- s.measure(s.tenant(r), info.Model, lineage(r.Header), path, info.Relation)
	}()
	info.forward()
	resp, err := s.up.do(r.Context(), outgoing{
		method: r.Method, url: r.URL, header: r.Header, plain: true,
		body: bytes.NewReader(body.Raw), length: int64(len(body.Raw)),
	})
	m := <-measured
	if err != nil {
		m.done(0, false, prefix.Usage{})
		return gone(r.Context(), err)
	}
	defer resp.Body.Close()
	m.show(out.w.Header())
	out.start(resp, true)
	p := &pipe{src: resp.Body, out: out}
	w := watcher{measure: m}
	if isStream(resp) {
		err = w.stream(p, s.EventMax)
	} else {
		err = w.whole(p, s.EventMax)
	}
	m.done(resp.StatusCode, err == nil && w.complete && resp.StatusCode/100 == 2, w.usage)
	switch {
	case err != nil:
	case resp.StatusCode >= 300 || w.failed:
		info.Outcome = OutcomeProvider
	case !w.complete:
		info.Outcome = OutcomeIncomplete
	}
	return relayError(r.Context(), p, err)
}

func raws(items []prefix.Item) [][]byte {
	raw := make([][]byte, len(items))
	for i := range items {
		raw[i] = items[i].Raw
	}
	return raw
}

// pass relays any other request, bodies unread.
func (s *Server) pass(r *http.Request, out *reply, info *RequestInfo) error {
	info.forward()
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
