package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/tools"
)

// errBroken wraps what ended a provider's answer before its end. Where that shows as an
// error event, clients read in its text whether to ask again: "terminated" is the word that
// they know from a stream that is cut.
var errBroken = errors.New("the provider's answer was terminated before its end")

// transparent relays a request that is understood, and measures it: the very bytes go
// up, and the very bytes come back, except where the operator has the proxy ask everybody's
// provider for usage. The measuring is done while the provider works.
func (s *Server) transparent(r *http.Request, out *reply, info *RequestInfo, body *prefix.Body) error {
	if model, ok := body.Field("model"); ok {
		info.Model, _ = prefix.Text(model)
	}
	measured := make(chan *measure, 1)
	go func() {
		items := raws(body.Items[body.LeadingSystem():])
		path := reuse.PathOf(s.Provider.Render, prefix.HeadOf(body), items)
		measured <- s.measure(s.tenant(r), info.Model, lineage(r.Header), path, items, info.Relation)
	}()
	parts, asked := [][]byte{body.Raw}, []prefix.Edit(nil)
	if info.Route == routeChat {
		if asked = s.askUsage(body, false); asked != nil {
			parts = body.Splice(asked)
		}
	}
	info.forward()
	resp, err := s.up.do(r.Context(), outgoing{
		method: r.Method, url: r.URL, header: r.Header, plain: true,
		parts: parts, length: size(parts), sticky: s.tenant(r) + "/" + thread(r.Header, info.Route, body),
	})
	m := <-measured
	m.info.Traceparent = r.Header.Get("Traceparent")
	m.rec = RecordingOf(r.Context())
	if err != nil {
		m.done(0, tools.Incomplete)
		return err
	}
	defer resp.Body.Close()
	m.show(out.w.Header())
	out.start(resp, asked == nil)
	p := &pipe{src: resp.Body, out: out}
	w := watcher{measure: m, refused: resp.StatusCode/100 != 2}
	switch {
	case isStream(resp.Header) && asked != nil:
		err = w.streamWithout(resp.Body, out, s.EventMax)
	case isStream(resp.Header):
		err = w.stream(p, s.EventMax)
	default:
		err = w.whole(p.inLarge(resp.ContentLength), s.EventMax)
	}
	if w.last && r.Context().Err() != nil && p.fail == nil && !errors.Is(err, errClientGone) {
		err = nil // the client has left, but with its whole answer
	}
	m.done(resp.StatusCode, w.state(err))
	s.unpaired(resp.StatusCode, "", body)
	switch {
	case err != nil:
	case resp.StatusCode >= 300 || w.failed:
		info.Outcome = OutcomeProvider
	case !w.complete:
		info.Outcome = OutcomeIncomplete
	}
	if errors.Is(err, errClientGone) {
		return err
	}
	return p.error(err)
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
	up := &upload{src: r.Body}
	// The body goes up while the answer comes down. Else the server takes what is left of
	// the body for itself at the first byte of the answer, and the transport, which meets a
	// closed body, breaks the answer off.
	_ = out.rc.EnableFullDuplex()
	resp, err := s.up.do(r.Context(), outgoing{
		method: r.Method, url: r.URL, header: r.Header, body: up, length: r.ContentLength,
	})
	if r.ContentLength != 0 && !up.whole() {
		// The server may give up what is left of the body: that is no request.
		out.w.Header().Set("Connection", "close")
	}
	if broken := up.error(); err != nil && broken != nil {
		return broken
	} else if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		info.Outcome = OutcomeProvider
	}
	out.start(resp, true)
	p := &pipe{src: resp.Body, out: out}
	_, err = io.Copy(io.Discard, p.inLarge(resp.ContentLength))
	return p.error(err)
}

// gone marks an error that is only the echo of the request's end: the client has left, or
// the proxy cuts what outlived its drain. A client that leaves with its whole answer, before
// the last of it is on record, was served.
func gone(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errStalled) {
		return err
	}
	switch cause := context.Cause(ctx); cause {
	case nil:
		return err
	case context.Canceled:
		return fmt.Errorf("%w: %w", errClientGone, err)
	default:
		return &Error{Status: 503, Code: "shutting_down", Message: cause.Error(), RetryAfter: time.Second}
	}
}

func isStream(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")) // a bad parameter leaves the kind
	return kind == "text/event-stream"
}
