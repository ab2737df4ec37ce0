package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// A Recorder keeps what goes over the wire. Its methods, and those of what it returns,
// never block and never fail: a request must not notice that it is recorded.
type Recorder interface {
	// Begin opens the record of a client's request, of which only the head was read. The
	// tenant is [LocalTenant] for a client without a credential.
	Begin(r *http.Request, tenant string) Recording
}

// A Recording is one client request being served. Its methods may be called from several
// goroutines.
type Recording interface {
	// Client is the hop between the client and the proxy.
	Client() Hop
	// Upstream opens the record of a request to the provider, as it is sent.
	Upstream(r *http.Request) Hop
	// Step is told the account of a provider request when its answer has ended.
	Step(StepInfo)
	// End closes the record; nothing is told of the request afterwards that matters.
	End(RequestInfo)
}

// A Hop is one request and its answer between two ends.
type Hop interface {
	// Sent is more of the request's body. The slices are kept, not copied: their bytes
	// never change.
	Sent(body ...[]byte)
	// Answered is the head of the answer.
	Answered(status int, h http.Header)
	// Received is more of the answer's body. The bytes are only lent.
	Received(chunk []byte)
	// Ended says that nothing more comes: io.EOF when the answer is at its end.
	Ended(err error)
}

type recordingKey struct{}

// RecordingOf returns what records the request that ctx belongs to; nil when nothing does.
// What a request does at its agents' store has such a context; what comes by the clock, such
// as the renewal of a lease, has none.
func RecordingOf(ctx context.Context) Recording {
	rec, _ := ctx.Value(recordingKey{}).(Recording)
	return rec
}

// unrecorded is for waits: what they read on the way is up to the clock, and what comes of them
// is read again.
func unrecorded(ctx context.Context) context.Context {
	return context.WithValue(ctx, recordingKey{}, nil)
}

// record has a request recorded until end is called.
func (s *Server) record(w http.ResponseWriter, r *http.Request) (_ http.ResponseWriter, _ *http.Request, end func(RequestInfo)) {
	rec := s.Recorder.Begin(r, s.tenant(r))
	return &recordedWriter{ResponseWriter: w, hop: rec.Client()},
		r.WithContext(context.WithValue(r.Context(), recordingKey{}, rec)), rec.End
}

// recordCall has a call of /agents recorded that may change what agents send.
func (s *Server) recordCall(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request, func(RequestInfo)) {
	w, r, end := s.record(w, r)
	r.Body = &recordedUpload{r.Body, []Hop{RecordingOf(r.Context()).Client()}}
	return w, r, end
}

// recordedWriter tells a hop what is written. What is told first is what the client can
// have seen when it acts.
type recordedWriter struct {
	http.ResponseWriter
	hop     Hop
	started bool
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recordedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recordedWriter) WriteHeader(status int) {
	if !w.started {
		w.started = status >= 200
		w.hop.Answered(status, w.Header())
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recordedWriter) Write(b []byte) (int, error) {
	if !w.started {
		w.WriteHeader(http.StatusOK)
	}
	w.hop.Received(b)
	n, err := w.ResponseWriter.Write(b)
	if err != nil {
		w.hop.Ended(err)
	}
	return n, err
}

// broken tells what records a response that it is not whole.
func broken(w http.ResponseWriter, err error) {
	if r, ok := w.(*recordedWriter); ok {
		r.hop.Ended(err)
	}
}

// trip sends a request to the provider, recorded where its client's request is. body is
// what the request's body holds, nil when it is only read on the way.
func (u *upstream) trip(req *http.Request, body [][]byte) (*http.Response, error) {
	var rec Recording
	if u.recorded {
		rec = RecordingOf(req.Context())
	}
	if rec == nil {
		return u.client.RoundTrip(req)
	}
	hop := rec.Upstream(req)
	if body != nil {
		hop.Sent(body...)
	} else if req.Body != http.NoBody {
		req.Body = &recordedUpload{req.Body, []Hop{rec.Client(), hop}}
	}
	resp, err := u.client.RoundTrip(req)
	if err != nil {
		hop.Ended(err)
		return nil, err
	}
	hop.Answered(resp.StatusCode, resp.Header)
	resp.Body = &recordedBody{resp.Body, hop}
	return resp, nil
}

// recordedUpload tells of a request body that is relayed unread.
type recordedUpload struct {
	io.ReadCloser
	hops []Hop
}

func (b *recordedUpload) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		kept := bytes.Clone(p[:n])
		for _, hop := range b.hops {
			hop.Sent(kept)
		}
	}
	return n, err
}

// recordedBody tells of an answer's body.
type recordedBody struct {
	io.ReadCloser
	hop Hop
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.hop.Received(p[:n])
	}
	if err != nil {
		b.hop.Ended(err)
	}
	return n, err
}

// Close tells of an answer that was left before its end.
func (b *recordedBody) Close() error {
	b.hop.Ended(http.ErrBodyReadAfterClose)
	return b.ReadCloser.Close()
}
