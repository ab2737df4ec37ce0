package proxy

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// upstream is the provider: one or more replicas behind one transport.
type upstream struct {
	replicas []*replica
	client   *http.Transport
	key      string
	header   time.Duration // longest wait for the headers of an answer
	idle     time.Duration // longest silence within one
	once     bool          // a connection is not used again after an answer
	recorded bool          // there is a Recorder
}

// replica is one base URL. A replica that cannot be reached is skipped for a while.
type replica struct {
	base *url.URL
	down atomic.Int64 // Unix milliseconds until which it is skipped
}

// skipDown is how long an unreachable replica is passed over while another one answers.
const skipDown = 5 * time.Second

func newUpstream(c *Config) (*upstream, error) {
	u := &upstream{key: c.UpstreamKey, header: c.HeaderTimeout, idle: c.IdleTimeout, once: c.Provider.CloseAfterStream, recorded: c.Recorder != nil}
	for _, raw := range c.Upstreams {
		base, err := url.Parse(raw)
		if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
			return nil, fmt.Errorf("upstream %q is not an http or https URL", raw)
		}
		u.replicas = append(u.replicas, &replica{base: base})
	}
	if len(u.replicas) == 0 {
		return nil, errors.New("no upstream is given")
	}
	dial := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	u.client = &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dial.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: c.HeaderTimeout,
		// A connection that carries everything must not be waited for once it is dead.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second},
		// An answer's bytes are relayed as they are, also compressed ones.
		DisableCompression: true,
		// Some servers close after a stream that they said to keep alive; the next
		// request on such a connection is lost, and it is not ours to send again.
		DisableKeepAlives: c.Provider.CloseAfterStream,
	}
	return u, nil
}

// target is where a client's URL leads: the base URL replaces a leading /v1; both queries
// are kept, and so are the escapes of the path.
func target(base *url.URL, client *url.URL) *url.URL {
	t := *base
	rest := client.EscapedPath()
	if rest == "/v1" || strings.HasPrefix(rest, "/v1/") {
		rest = rest[len("/v1"):]
	}
	escaped := strings.TrimSuffix(base.EscapedPath(), "/") + rest
	if path, err := url.PathUnescape(escaped); err == nil {
		t.Path, t.RawPath = path, escaped
	}
	switch {
	case base.RawQuery == "":
		t.RawQuery = client.RawQuery
	case client.RawQuery != "":
		t.RawQuery = base.RawQuery + "&" + client.RawQuery
	}
	t.ForceQuery = t.RawQuery == "" && (base.ForceQuery || client.ForceQuery)
	t.Fragment, t.User = "", nil
	return &t
}

// outgoing is a request to the provider.
type outgoing struct {
	method string
	url    *url.URL
	header http.Header
	// body is sent once: the transport never sends a request again that the provider may
	// have seen. Of a plain request, parts hold it.
	body   io.Reader
	parts  [][]byte
	length int64 // -1: unknown
	// sticky keeps one tree of agents, or one conversation, on one replica. What has none is
	// all on one: it may be about a file that was sent there.
	sticky string
	// plain: the body is all here and decoded, and the answer shall be one that can be
	// read here.
	plain bool
}

// errLate is the cause of a request whose headers did not come in time. The transport's own
// limit begins only when the whole request has been taken.
var errLate = &Error{Status: 504, Code: "upstream_timeout", Message: "the provider did not answer in time"}

// errSilent is the cause of a request that the provider left without a byte for too long.
var errSilent = errors.New("the provider has been silent for too long")

// do sends the request and returns the response once its headers are in. The response's
// body ends with errSilent after an idle time without a byte.
func (u *upstream) do(ctx context.Context, out outgoing) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	if out.plain {
		out.body = &partsReader{parts: out.parts}
		late := time.AfterFunc(u.header, func() { cancel(errLate) })
		defer late.Stop()
	}
	var lastErr error
	for _, rep := range u.order(out.sticky) {
		req := (&http.Request{
			Method:        out.method,
			URL:           target(rep.base, out.url),
			Header:        out.header.Clone(),
			Body:          io.NopCloser(out.body),
			ContentLength: out.length,
			Host:          rep.base.Host,
			Close:         u.once && out.plain,
		}).WithContext(ctx)
		if out.length == 0 {
			req.Body = http.NoBody
		} else if out.plain {
			// The transport takes it when a kept connection turned out to be closed before
			// a byte was written; see prepare for what else it would take it for.
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(&partsReader{parts: out.parts}), nil }
		}
		u.prepare(req, rep, out.plain)
		resp, err := u.trip(req, out.parts)
		if err == nil {
			rep.down.Store(0)
			resp.Body = &idleBody{ctx: ctx, body: resp.Body, limit: u.idle, cancel: cancel,
				timer: time.AfterFunc(u.idle, func() { cancel(errSilent) })}
			return resp, nil
		}
		lastErr = err
		// Only a connection that was never made says that nothing was sent.
		if ctx.Err() != nil || !isDial(err) {
			break
		}
		rep.down.Store(time.Now().Add(skipDown).UnixMilli())
	}
	err := upstreamError(ctx, lastErr)
	cancel(err)
	return nil, err
}

// upstreamError names what kept the provider from answering.
func upstreamError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() && !isDial(err) {
		return &Error{Status: 504, Code: "upstream_timeout", Message: "the provider did not answer in time: " + err.Error()}
	}
	return &Error{Status: 502, Code: "upstream_unreachable", Message: "the provider cannot be reached: " + err.Error()}
}

func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// order returns the replicas to try: the tree's own first, those known to be down last.
func (u *upstream) order(sticky string) []*replica {
	n := len(u.replicas)
	if n == 1 {
		return u.replicas
	}
	h := fnv.New32a()
	io.WriteString(h, sticky)
	first := int(h.Sum32() % uint32(n))
	now := time.Now().UnixMilli()
	up, down := make([]*replica, 0, n), []*replica(nil)
	for i := range n {
		if r := u.replicas[(first+i)%n]; r.down.Load() > now {
			down = append(down, r)
		} else {
			up = append(up, r)
		}
	}
	return append(up, down...)
}

// prepare makes the client's headers the provider's.
func (u *upstream) prepare(req *http.Request, rep *replica, plain bool) {
	h := req.Header
	dropHopByHop(h)
	for name := range h {
		if strings.HasPrefix(name, "X-Agent-") {
			delete(h, name)
		}
	}
	h.Del("Content-Length")
	if plain {
		h.Del("Content-Encoding") // decoded here
		h.Set("Accept-Encoding", "identity")
	}
	if u.key != "" && h.Get("Authorization") == "" && h.Get("Api-Key") == "" && h.Get("X-Api-Key") == "" {
		h.Set("Authorization", "Bearer "+u.key)
	}
	if rep.base.User != nil && h.Get("Authorization") == "" {
		pass, _ := rep.base.User.Password()
		req.SetBasicAuth(rep.base.User.Username(), pass)
	}
	// The transport sends a request again by itself when this header says that it may; in
	// lower case it does not see it.
	for _, name := range [...]string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values, ok := h[name]; ok {
			delete(h, name)
			h[strings.ToLower(name)] = values
		}
	}
	if _, ok := h["User-Agent"]; !ok {
		h.Set("User-Agent", "") // none, rather than the transport's
	}
}

// dropHopByHop removes what concerns one connection only (RFC 9110, 7.6.1), and Expect,
// which the server has answered already.
func dropHopByHop(h http.Header) {
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				h.Del(name)
			}
		}
	}
	for _, name := range [...]string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate",
		"Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect"} {
		h.Del(name)
	}
}

// idleBody is a response body that ends with errSilent after an idle time. Closing it
// ends the request.
type idleBody struct {
	ctx    context.Context // the request's own: its cause says why a read failed
	body   io.ReadCloser
	limit  time.Duration
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

func (b *idleBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.limit)
	n, err := b.body.Read(p)
	b.timer.Stop()
	if err != nil && err != io.EOF {
		if cause := context.Cause(b.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (b *idleBody) Close() error {
	b.timer.Stop()
	err := b.body.Close()
	b.cancel(nil)
	return err
}
