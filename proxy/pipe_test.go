package proxy_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
	"trunkline/proxy"
)

// pipes is a network in memory, for tests in which time is not real.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed: // a transport may still dial for a request that found another connection
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

// newPipeEdge is newEdge in a bubble of testing/synctest. The caller must call stop before
// the bubble ends.
func newPipeEdge(t *testing.T, provider http.HandlerFunc, change ...func(*proxy.Config)) (e *edge, stop func()) {
	up := newPipes()
	e, stopProxy := newPipeEdgeTo(t, up, change...)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		provider(w, r)
	})}
	go server.Serve(up)
	return e, func() { stopProxy(); server.Close() }
}

// newPipeEdgeTo serves clients in front of whatever accepts from up.
func newPipeEdgeTo(t *testing.T, up *pipes, change ...func(*proxy.Config)) (e *edge, stop func()) {
	t.Helper()
	e = &edge{t: t, URL: "http://127.0.0.1", ended: make(chan proxy.RequestInfo, 64)}
	c := proxy.Config{
		Upstreams: []string{"http://provider/v1"},
		Agents:    agents.New(agents.Config{Store: storetest.Memory(), Holder: "test"}),
		AskUsage:  proxy.AskNobody,
		Trace:     proxy.Trace{Request: func(info proxy.RequestInfo) { e.ended <- info }},
	}
	for _, f := range change {
		f(&c)
	}
	handler, err := proxy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	handler.DialUpstream(up.dial)
	down := newPipes()
	server := &http.Server{Handler: handler, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go server.Serve(down)
	transport := &http.Transport{DialContext: down.dial, DisableCompression: true}
	e.client = &http.Client{Transport: transport}
	return e, func() { transport.CloseIdleConnections(); server.Close() }
}

// dial opens a bare connection to the proxy of a pipe edge.
func (e *edge) dial() net.Conn {
	e.t.Helper()
	conn, err := e.client.Transport.(*http.Transport).DialContext(e.t.Context(), "", "")
	if err != nil {
		e.t.Fatal(err)
	}
	return conn
}
