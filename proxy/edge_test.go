package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/proxy"
)

// chat is the path of the route that is understood.
const chat = "/v1/chat/completions"

// An edge is the real handler on a real store, between clients and a scripted provider.
type edge struct {
	t        testing.TB
	URL      string
	upstream *httptest.Server
	handler  *proxy.Server
	client   *http.Client
	ended    chan proxy.RequestInfo // of each request, in the order in which they end

	mu  sync.Mutex
	got []received // what the provider was sent, in order
}

// received is a request as the provider had it.
type received struct {
	method, uri, host string
	header            http.Header
	body              []byte
	chunked           bool
}

// newEdge serves until the test ends. The provider's handler finds its request's body read
// already. By default identified agents get no tools and nobody's usage is asked for, so
// that their bytes can be compared.
func newEdge(t testing.TB, provider http.HandlerFunc, change ...func(*proxy.Config)) *edge {
	t.Helper()
	leaksNothing(t)
	e := &edge{t: t, ended: make(chan proxy.RequestInfo, 4096)}
	e.upstream = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.got = append(e.got, received{r.Method, r.RequestURI, r.Host, r.Header, body, len(r.TransferEncoding) > 0})
		e.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		provider(w, r)
	}))
	t.Cleanup(e.upstream.Close)
	c := proxy.Config{
		Upstreams: []string{e.upstream.URL},
		AskUsage:  proxy.AskNobody,
		Trace:     proxy.Trace{Request: func(info proxy.RequestInfo) { e.ended <- info }},
	}
	e.handler = newHandler(t, c, change...)
	server := httptest.NewServer(e.handler)
	t.Cleanup(server.Close)
	e.URL = server.URL
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	e.client = &http.Client{Transport: transport}
	return e
}

// leaksNothing checks that no goroutine, and so no connection, is left when all that the
// test sets up behind this call is closed.
func leaksNothing(t testing.TB) {
	if _, ok := t.(*testing.T); ok {
		before := goleak.IgnoreCurrent()
		t.Cleanup(func() { goleak.VerifyNone(t, before) })
	}
}

// newHandler is the proxy's handler on a store in a file of its own.
func newHandler(t testing.TB, c proxy.Config, change ...func(*proxy.Config)) *proxy.Server {
	t.Helper()
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "agents.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	c.Agents = agents.New(agents.Config{Store: store, Holder: "test"})
	for _, f := range change {
		f(&c)
	}
	handler, err := proxy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// An answer is a whole response, with what kept it from being whole.
type answer struct {
	*http.Response
	body string
	err  error
}

// request builds a request; headers are pairs of name and value.
func (e *edge) request(method, path string, body io.Reader, headers ...string) *http.Request {
	e.t.Helper()
	r, err := http.NewRequestWithContext(e.t.Context(), method, e.URL+path, body)
	if err != nil {
		e.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// send sends a request and reads its response.
func (e *edge) send(r *http.Request) answer {
	e.t.Helper()
	resp, err := e.client.Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp, string(body), err}
}

// post sends a body to the chat route.
func (e *edge) post(body string, headers ...string) answer {
	e.t.Helper()
	return e.send(e.request("POST", chat, strings.NewReader(body), headers...))
}

// sent returns what the provider was sent so far.
func (e *edge) sent() []received {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]received(nil), e.got...)
}

// one returns the only request that the provider was sent.
func (e *edge) one() received {
	e.t.Helper()
	got := e.sent()
	if len(got) != 1 {
		e.t.Fatalf("the provider got %d requests, want 1", len(got))
	}
	return got[0]
}

// outcome is how the next request to end has ended.
func (e *edge) outcome() proxy.Outcome { return (<-e.ended).Outcome }

// everyone runs a test for an anonymous client and for an agent's.
func everyone(t *testing.T, test func(t *testing.T, who []string)) {
	t.Run("anonymous", func(t *testing.T) { test(t, nil) })
	t.Run("identified", func(t *testing.T) { test(t, []string{"X-Agent-Id", "a"}) })
}

// script answers the first request with the first handler, and so on; further ones with
// the last.
func script(steps ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		step := steps[min(n, len(steps)-1)]
		n++
		mu.Unlock()
		step(w, r)
	}
}

// stream answers with an event stream, one flush for each piece.
func stream(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			io.WriteString(w, p)
			w.(http.Flusher).Flush()
		}
	}
}

// reply answers with a body of this kind.
func reply(status int, kind, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// abort breaks the connection off behind what another handler wrote.
func abort(before http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		before(w, r)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// The events of a stream.

func chunk(choices string) string {
	return `data: {"id":"x1","object":"chat.completion.chunk","created":1,"model":"m1","choices":[` + choices + `]}` + "\n\n"
}

// delta is an event of choice 0; finish is "" for none.
func delta(d, finish string) string {
	reason := "null"
	if finish != "" {
		reason = `"` + finish + `"`
	}
	return chunk(`{"index":0,"delta":` + d + `,"finish_reason":` + reason + `}`)
}

func usage(prompt, cached int) string {
	return fmt.Sprintf(`data: {"id":"x1","object":"chat.completion.chunk","created":1,"model":"m1","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":1,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`+"\n\n", prompt, prompt+1, cached)
}

const done = "data: [DONE]\n\n"

// said is the answer of a model that says this, whole.
func said(text string) []string {
	return []string{delta(`{"role":"assistant","content":"`+text+`"}`, ""), delta(`{}`, "stop"), done}
}

// saidJSON is the same in one piece.
func saidJSON(text string) string {
	return `{"id":"x1","object":"chat.completion","created":1,"model":"m1","choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`
}

const (
	ask       = `{"model":"m1","messages":[{"role":"user","content":"hi"}]}`
	askStream = `{"model":"m1","stream":true,"messages":[{"role":"user","content":"hi"}]}`
)

func withTools(c *proxy.Config) { c.Tools = []string{"send_message", "interrupt_agent", "list_agents"} }
