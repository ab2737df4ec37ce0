package record_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/proxy"
	"trunkline/proxy/record"
)

// startRecorder starts a recorder that the test ends.
func startRecorder(t testing.TB, c record.Config) *record.Recorder {
	t.Helper()
	if c.Dir == "" {
		c.Dir = filepath.Join(t.TempDir(), "recordings")
	}
	r, err := record.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(context.Background()) })
	return r
}

// startProxy starts a proxy in front of a provider, recorded by r unless that is nil.
func startProxy(t testing.TB, provider http.Handler, r *record.Recorder) (url string) {
	t.Helper()
	upstream := httptest.NewServer(provider)
	t.Cleanup(upstream.Close)
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "agents.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	c := proxy.Config{
		Upstreams: []string{upstream.URL + "/v1"},
		Agents:    agents.New(agents.Config{Store: store, Holder: "test"}),
		Tools:     []string{"send_message"},
	}
	if r != nil {
		c.Recorder = r
	}
	handler, err := proxy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	edge := httptest.NewServer(handler)
	t.Cleanup(edge.Close)
	return edge.URL
}

// answers is a provider that says one thing.
func answers(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "session=secret-of-the-provider")
		io.WriteString(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"`+text+`"},"finish_reason":"stop"}]}`)
	})
}

// ask sends a body and reads the answer to its end.
func ask(t testing.TB, url, body string, headers ...string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
}

const hello = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`
