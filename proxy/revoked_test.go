package proxy_test

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/proxy"
	"trunkline/proxy/keys"
)

// TestWaitersOfARevokedKey: a key that is taken out opens nothing to those either who came in
// with it and wait: the next thing that happens is not told them.
func TestWaitersOfARevokedKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("keys: [{key: old, tenant: a, scopes: [agents]}, {key: new, tenant: a, scopes: [model, agents]}]")
	ring, err := keys.Open(file, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	e := newEdge(t, okay, func(c *proxy.Config) { c.Keys = ring })
	old, fresh := []string{"Authorization", "Bearer old"}, []string{"Authorization", "Bearer new"}
	e.must(201, "POST", "/agents", `{"id":"r"}`, fresh...)
	events, err := e.client.Do(e.request("GET", "/agents/r/events", nil, old...))
	if err != nil || events.StatusCode != 200 {
		t.Fatalf("%v %v", events, err)
	}
	defer events.Body.Close()
	first := make([]byte, 1)
	if _, err := events.Body.Read(first); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan answer, 1)
	go func() { waiting <- e.send(e.request("GET", "/agents/r/wait?timeout=4m&after=0", nil, old...)) }()

	write("keys: [{key: new, tenant: a, scopes: [model, agents]}]")
	e.turn("r", fresh...)
	if a := <-waiting; a.err != nil || a.StatusCode != 401 || !strings.Contains(a.body, "invalid_api_key") {
		t.Errorf("a wait ends with %v %s", a.err, a.body)
	}
	rest, err := io.ReadAll(events.Body) // broken off
	if err == nil || strings.Contains(string(rest), `"turn":1`) || !strings.Contains(string(rest), `"code":"invalid_api_key"`) {
		t.Errorf("the events go on with %s (%v)", rest, err)
	}
}
