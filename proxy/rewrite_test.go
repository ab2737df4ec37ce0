package proxy_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/proxy"
	"trunkline/proxy/sim"
)

// TestRewriteBehindAnAnswer: a client that changes a turn and brings its later answers along
// has rewritten history, also where the part before it ends with an answer.
func TestRewriteBehindAnAnswer(t *testing.T) {
	up := httptest.NewServer(sim.New(sim.Config{}))
	defer up.Close()
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "a.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	handler, err := proxy.New(proxy.Config{Upstreams: []string{up.URL + "/v1"}, Agents: agents.New(agents.Config{Store: store, Holder: "one"})})
	if err != nil {
		t.Fatal(err)
	}
	say := func(text string) string { return `{"role":"user","content":"` + text + `"}` }
	cause := func(messages ...string) string {
		t.Helper()
		r := httptest.NewRequest("POST", "http://127.0.0.1/v1/chat/completions", strings.NewReader(`{"model":"m","messages":[`+strings.Join(messages, ",")+`]}`))
		r.Header.Set("X-Agent-Id", "one")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
		return w.Header().Get("X-Prefix-Break")
	}
	ready := `{"role":"assistant","content":"ready"}`
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"pick","arguments":"{}"}}]}`
	result := `{"role":"tool","tool_call_id":"c","content":"r"}`
	cause(say(`say ready`))
	if c := cause(say(`say ready`), ready, say("pick one"), call, result); c != "none" {
		t.Errorf("going on: %s", c)
	}
	if c := cause(say(`say ready`), ready, say("pick another"), call, result); c != "history_rewritten" {
		t.Errorf("a changed turn with its answer: %s", c)
	}
	if c := cause(say(`say ready`), ready, say("something else")); c != "none" {
		t.Errorf("another turn in its place: %s", c)
	}
}
