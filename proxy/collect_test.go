package proxy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/proxy"
	"trunkline/proxy/sim"
)

// TestCutHistoryIsCollected: what a client cut from its history goes after the retention
// time, except what a fork still begins with.
func TestCutHistoryIsCollected(t *testing.T) {
	up := httptest.NewServer(sim.New(sim.Config{}))
	defer up.Close()
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "a.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	service := agents.New(agents.Config{Store: store, Holder: "one", Histories: proxy.Histories(store), Retention: time.Nanosecond})
	handler, err := proxy.New(proxy.Config{Upstreams: []string{up.URL + "/v1"}, Agents: service})
	if err != nil {
		t.Fatal(err)
	}
	call := func(agent, parent string, messages ...string) string {
		t.Helper()
		r := httptest.NewRequest("POST", "http://127.0.0.1/v1/chat/completions", strings.NewReader(`{"model":"m","messages":[`+strings.Join(messages, ",")+`]}`))
		r.Header.Set("X-Agent-Id", agent)
		if parent != "" {
			r.Header.Set("X-Agent-Parent-Id", parent)
			r.Header.Set("X-Agent-Notify", "none")
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", agent, w.Code, w.Body)
		}
		_, rest, _ := strings.Cut(w.Body.String(), `"message":`)
		message, _, _ := strings.Cut(rest, `,"logprobs"`)
		return message
	}
	say := func(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }
	root := agents.Key{Tenant: "local", ID: "root"}
	nodes := func() int {
		t.Helper()
		ids, err := store.Owned(t.Context(), root, "node:")
		if err != nil {
			t.Fatal(err)
		}
		return len(ids)
	}
	one := call("root", "", say("one"))
	two := call("root", "", say("one"), one, say("two"))
	call("fork", "root", say("a task\ncall pick {}")) // its turn stays open, so it is not retired
	call("root", "", say("one"), one, say("two"), two, say("three"))
	whole := nodes()
	call("root", "", say("another one")) // all of it is cut
	if err := service.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := nodes(); n >= whole+2 || n < 4 {
		t.Fatalf("%d segments are left of %d and 2: want what the fork begins with, and the new ones", n, whole)
	}
	if err := service.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A process that has nothing in memory still reads the fork's history.
	fresh, err := proxy.New(proxy.Config{Upstreams: []string{up.URL + "/v1"}, Agents: service})
	if err != nil {
		t.Fatal(err)
	}
	handler = fresh
	answer := call("fork", "root", say("a task\ncall pick {}"), `{"role":"assistant","content":"gone another way"}`, say("say fine"))
	if !strings.Contains(answer, "fine") {
		t.Fatal(answer)
	}
}
