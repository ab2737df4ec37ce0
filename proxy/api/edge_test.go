package api_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/proxy"
	"trunkline/proxy/keys"
)

// An edge is a whole proxy on a real store, between clients and a scripted provider.
type edge struct {
	t       testing.TB
	URL     string
	handler *proxy.Server
	client  *http.Client

	mu  sync.Mutex
	got [][]byte // the bodies that the provider was sent, in order
}

// newEdge serves until the test ends.
func newEdge(t testing.TB, provider http.HandlerFunc, change ...func(*proxy.Config)) *edge {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	e := &edge{t: t}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.got = append(e.got, body)
		e.mu.Unlock()
		provider(w, r)
	}))
	t.Cleanup(upstream.Close)
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "agents.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	c := proxy.Config{
		Upstreams: []string{upstream.URL},
		AskUsage:  proxy.AskNobody,
		Agents:    agents.New(agents.Config{Store: store, Holder: "test"}),
	}
	for _, f := range change {
		f(&c)
	}
	if e.handler, err = proxy.New(c); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(e.handler)
	t.Cleanup(server.Close)
	e.URL = server.URL
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	e.client = &http.Client{Transport: transport}
	return e
}

// withKeys asks for the keys of a file.
func withKeys(t testing.TB, file string) func(*proxy.Config) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	ring, err := keys.Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return func(c *proxy.Config) { c.Keys = ring }
}

// okay is a provider that is content with everything.
func okay(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"fine"},"finish_reason":"stop"}]}`)
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
	return e.send(e.request("POST", "/v1/chat/completions", strings.NewReader(body), headers...))
}

// sent returns the bodies that the provider was sent so far.
func (e *edge) sent() [][]byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([][]byte(nil), e.got...)
}

// call makes a call of the agents API. A body is JSON.
func (e *edge) call(method, path, body string, headers ...string) answer {
	e.t.Helper()
	if body != "" {
		headers = append([]string{"Content-Type", "application/json"}, headers...)
	}
	a := e.send(e.request(method, path, strings.NewReader(body), headers...))
	if a.err != nil {
		e.t.Fatal(a.err)
	}
	return a
}

// must makes a call that has to succeed with a status, and reads its answer.
func (e *edge) must(status int, method, path, body string, headers ...string) map[string]any {
	e.t.Helper()
	a := e.call(method, path, body, headers...)
	if a.StatusCode != status {
		e.t.Fatalf("%s %s %s: %s %s, want %d", method, path, body, a.Status, a.body, status)
	}
	out := map[string]any{}
	if a.body != "" {
		if err := json.Unmarshal([]byte(a.body), &out); err != nil {
			e.t.Fatalf("%s %s: %v in %s", method, path, err, a.body)
		}
	}
	return out
}

// turn has an agent take one whole turn with the provider.
func (e *edge) turn(id string, headers ...string) {
	e.t.Helper()
	a := e.post(`{"model":"m","messages":[{"role":"user","content":"hello"}]}`, append([]string{"X-Agent-Id", id}, headers...)...)
	if a.err != nil || a.StatusCode != 200 {
		e.t.Fatalf("a turn of %s: %v %s", id, a.err, a.body)
	}
}

// apiFailure reads an error of the proxy's own.
func apiFailure(t *testing.T, a answer) (code, message string) {
	t.Helper()
	var body struct {
		Error struct{ Message, Type, Code string }
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		t.Fatalf("%s is answered %s %q: %v", a.Request.URL, a.Status, a.body, err)
	}
	if body.Error.Type != "trunkline_error" || a.Header.Get("X-Trunkline-Error") != body.Error.Code {
		t.Errorf("%s: %s, X-Trunkline-Error %q: not an error of the proxy", a.Request.URL, a.body, a.Header.Get("X-Trunkline-Error"))
	}
	return body.Error.Code, body.Error.Message
}
