package proxy_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"trunkline/agents"
	"trunkline/agents/redisstore"
	"trunkline/agents/redisstore/redistest"
	"trunkline/proxy"
)

// TestCase68: whoever waits for an agent takes no connection of the store's pool: beside 50
// that wait, 100 requests need no more than a pool of two.
func TestCase68(t *testing.T) {
	server := redistest.Start(t)
	redisstore.LogTo(slog.New(slog.DiscardHandler))
	store, err := redisstore.Open(t.Context(), server.URL()+"?pool_size=2", redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	e := newEdge(t, okay, func(c *proxy.Config) { c.Agents = agents.New(agents.Config{Store: store, Holder: "test"}) })
	woken := make(chan answer)
	for i := range 50 {
		id := fmt.Sprint("waited", i)
		e.turn(id)
		version := e.must(200, "GET", "/agents/"+id, "")["version"]
		r := e.request("GET", fmt.Sprintf("/agents/%s/wait?after=%v&timeout=60s", id, version), http.NoBody)
		go func() { woken <- e.send(r) }()
	}
	for i := range 100 {
		e.turn(fmt.Sprint("quick", i%10))
	}
	for i := range 50 {
		e.must(202, "POST", fmt.Sprintf("/agents/waited%d/interrupt", i), "{}", "Content-Type", "application/json")
		e.turn(fmt.Sprint("waited", i))
	}
	for range 50 {
		(<-woken).ok(t)
	}
}
