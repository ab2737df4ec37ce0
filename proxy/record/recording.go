package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"trunkline/proxy"
)

// recording is an exchange while it is served.
type recording struct {
	*Recorder
	began time.Time

	mu      sync.Mutex
	ended   bool // and with it in the writer's hands: nothing changes any more
	dropped bool
	held    int64 // bytes of it that count against the queue
	x       Exchange
	client  clientHop
	hops    []*upstreamHop
}

func (r *recording) now() int64 { return time.Since(r.began).Microseconds() }

// hold counts n more bytes, or gives the recording up.
func (r *recording) hold(n int) bool {
	if r.ended || r.dropped {
		return false
	}
	if r.queued.Add(int64(n)) > r.Queue {
		r.queued.Add(-int64(n))
		r.drop()
		return false
	}
	r.held += int64(n)
	return true
}

// drop gives the recording up and what it holds free.
func (r *recording) drop() {
	r.dropped = true
	r.queued.Add(-r.held)
	r.held, r.x, r.hops = 0, Exchange{}, nil
	r.client.response = Response{}
}

// Client implements [proxy.Recording].
func (r *recording) Client() proxy.Hop { return &r.client }

// Upstream implements [proxy.Recording].
func (r *recording) Upstream(req *http.Request) proxy.Hop {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := &upstreamHop{recording: r}
	h.hop.At = r.now()
	h.hop.Request = Request{
		Method:  req.Method,
		Path:    strings.TrimPrefix(req.URL.EscapedPath(), r.Settings.Base),
		Headers: recorded(req.Header),
	}
	if !r.dropped && !r.ended {
		r.hops = append(r.hops, h)
	}
	return h
}

// Step implements [proxy.Recording].
func (r *recording) Step(info proxy.StepInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.x.Usage.Steps = append(r.x.Usage.Steps, stepOf(info))
	}
}

// stepOf is the account as it is recorded.
func stepOf(info proxy.StepInfo) Step {
	s := Step{
		Agent: info.Agent, Model: info.Model, Relation: string(info.Relation), Status: info.Status,
		Bytes: info.Bytes, Shared: info.Shared, Cause: info.Break.Cause.String(),
		Segment: info.Break.Segment, Name: info.Break.Name, Item: info.Break.Item,
	}
	if info.Usage.Prompt.Known {
		s.Prompt = &info.Usage.Prompt.N
	}
	if info.Usage.Cached.Known {
		s.Cached = &info.Usage.Cached.N
	}
	if info.Completed {
		s.Expected, s.Loss = info.Reuse.Expected, info.Reuse.Cause.String()
	}
	return s
}

// touch notes what the exchange did with an agent's record.
func (r *recording) touch(t Touch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.At = r.now()
	if r.hold(touchBytes + len(t.Agent)) {
		r.x.Records = append(r.x.Records, t)
	}
}

// failed takes back what was read for a write that was refused, since another came between: all
// of it is read again.
func (r *recording) failed(agent string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	for k := len(r.x.Records) - 1; k >= 0 && !r.x.Records[k].Write; k-- {
		if r.x.Records[k].Agent == agent {
			r.x.Records = r.x.Records[:k]
			return
		}
	}
}

// touchBytes is what a touch is taken to hold, beside its agent's name.
const touchBytes = 48

// End implements [proxy.Recording].
func (r *recording) End(info proxy.RequestInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body := r.x.Client.Body.Len()
	for _, h := range r.hops {
		body += h.hop.Request.Body.Len()
	}
	if !r.hold(body) {
		r.ended = true
		r.lost(LostQueueFull)
		return
	}
	if r.client.response.End == "" {
		r.client.response.end(r.now(), io.EOF)
	}
	r.x.Response = r.client.response
	for _, h := range r.hops {
		r.x.Upstream = append(r.x.Upstream, h.hop)
	}
	r.x.Usage.Route, r.x.Usage.Outcome = info.Route, string(info.Outcome)
	r.x.Usage.Relation, r.x.Usage.Took = string(info.Relation), info.Took.Microseconds()
	r.ended = true
	r.enqueue(&job{&r.x, r.held})
}

// clientHop records between the client and the proxy.
type clientHop struct {
	*recording
	response Response
}

func (h *clientHop) Sent(body ...[]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended && !h.dropped {
		h.x.Client.Body = append(h.x.Client.Body, body...)
	}
}

func (h *clientHop) Answered(status int, header http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.response.At, h.response.Status, h.response.Headers = h.now(), status, recorded(header)
	}
}

func (h *clientHop) Received(chunk []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hold(len(chunk)) {
		h.response.Chunks = append(h.response.Chunks, Chunk{h.now(), bytes.Clone(chunk)})
	}
}

func (h *clientHop) Ended(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.response.end(h.now(), err)
	}
}

// upstreamHop records between the proxy and the provider.
type upstreamHop struct {
	*recording
	hop Hop
}

func (h *upstreamHop) Sent(body ...[]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended && !h.dropped {
		h.hop.Request.Body = append(h.hop.Request.Body, body...)
	}
}

func (h *upstreamHop) Answered(status int, header http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.hop.Response = &Response{At: h.now(), Status: status, Headers: recorded(header)}
	}
}

func (h *upstreamHop) Received(chunk []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hop.Response != nil && h.hold(len(chunk)) {
		h.hop.Response.Chunks = append(h.hop.Response.Chunks, Chunk{h.now(), bytes.Clone(chunk)})
	}
}

func (h *upstreamHop) Ended(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ended:
	case h.hop.Response != nil:
		h.hop.Response.end(h.now(), err)
	case h.hop.Error == "":
		h.hop.Error = err.Error()
	}
}

// end notes how the body ended; the first report counts.
func (r *Response) end(at int64, err error) {
	if r.End != "" {
		return
	}
	r.EndAt = at
	switch {
	case err == io.EOF:
		r.End = EndWhole
	case errors.Is(err, http.ErrBodyReadAfterClose), errors.Is(err, context.Canceled):
		r.End = EndLeft
	default:
		r.End = err.Error()
	}
}
