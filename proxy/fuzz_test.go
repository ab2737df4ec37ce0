package proxy_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"trunkline/proxy"
)

// FuzzServe sends any bytes with any headers through the real handler, to a provider that
// answers with any bytes too. Whatever comes, the handler does not panic (but for the abort
// that breaks a transfer), and its answer is the provider's or an error of the proxy in the
// shape that clients read. A body that the proxy has nothing to add to goes up as it came.
func FuzzServe(f *testing.F) {
	for _, body := range bodies {
		f.Add(chat, body, "a", "gzip", strings.Join(said("yes"), ""), true)
		f.Add(chat, body, "", "", saidJSON("yes"), false)
	}
	f.Add(chat, askStream, "a", "", delta(calls(own), "tool_calls")+done, true)
	f.Add("/v1/responses", `{"input":"hi"}`, "a", "zstd", "data: {", true)
	f.Add("/v1/a%2Fb?q=%zz", "x", "\x00", "br", "", false)
	type answered struct {
		kind, body string
	}
	var mu sync.Mutex // of what the provider shares with the test
	var next answered
	var up [][]byte
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		up = append(up, body)
		next := next
		mu.Unlock()
		w.Header().Set("Content-Type", next.kind)
		w.Header().Set("X-Provider", "1")
		w.Write([]byte(next.body))
	}))
	f.Cleanup(provider.Close)
	handler := newHandler(f, proxy.Config{Upstreams: []string{provider.URL}, MaxBody: 1 << 20, EventMax: 1 << 12}, withTools)
	f.Fuzz(func(t *testing.T, path, body, id, coding, answer string, streams bool) {
		mu.Lock()
		next, up = answered{"application/json", answer}, nil
		if streams {
			next.kind = "text/event-stream"
		}
		mu.Unlock()
		r := httptest.NewRequest("POST", chat, strings.NewReader(body))
		if u, err := r.URL.Parse(path); err == nil && u.Host == r.URL.Host && strings.HasPrefix(u.Path, "/") {
			r.URL = u
		}
		for name, value := range map[string]string{"X-Agent-Id": id, "Content-Encoding": coding} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		aborted := serveAborted(handler, w, r)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case aborted && len(up) == 0:
			t.Error("a request that went nowhere was aborted")
		case aborted:
		case w.Header().Get("X-Trunkline-Error") != "":
			var e struct {
				Error struct{ Message, Type, Code string }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code < 400 || e.Error.Type != "trunkline_error" || e.Error.Message == "" || e.Error.Code != w.Header().Get("X-Trunkline-Error") {
				t.Errorf("status %d, error %q", w.Code, w.Body)
			}
			if e.Error.Code == "internal" {
				t.Errorf("no name for what went wrong: %s", w.Body)
			}
		case len(up) == 0 && id == "":
			t.Errorf("an answer from nowhere: status %d, %q", w.Code, w.Body)
		case id == "" && w.Body.String() != answer:
			t.Errorf("the provider said %q, the client read %q", answer, w.Body)
		}
		if id == "" && coding == "" && len(up) > 0 && (len(up) > 1 || string(up[0]) != body) {
			t.Errorf("sent %q, the provider got %d requests, %q", body, len(up), up[0])
		}
	})
}

// serveAborted serves and reports whether the handler broke the transfer off.
func serveAborted(h http.Handler, w http.ResponseWriter, r *http.Request) (aborted bool) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			aborted = true
		} else if p != nil {
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
	return false
}
