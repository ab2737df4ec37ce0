package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// cacheKey is the prompt_cache_key of a request, raw; "" without one.
func cacheKey(t *testing.T, r received) string {
	for _, f := range r.head(t).Fields {
		if f.Name == "prompt_cache_key" {
			return string(f.Raw)
		}
	}
	return ""
}

// TestCase15: forks carry the cache key of their tree's root, whatever they ask for; spawns
// keep theirs; nobody gets a key that no client has set.
func TestCase15(t *testing.T) {
	for name, c := range map[string]struct{ root, kid, fork, spawn string }{
		"the root has one":     {`,"prompt_cache_key":"s1"`, ``, `"s1"`, ``},
		"both have":            {`,"prompt_cache_key":"s1"`, `,"prompt_cache_key":"k"`, `"s1"`, `"k"`},
		"only the child has":   {``, `,"prompt_cache_key":"k"`, `"k"`, `"k"`},
		"nobody has":           {``, ``, ``, ``},
		"written with escapes": {`,"prompt_cache_key":"s1"`, `,"prompt_cache_ke\u0079":"k"`, `"s1"`, `"k"`},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
			e.post(body("s", "", c.root, prompt("1")), "X-Agent-Id", "root").ok(t)
			for _, n := range []int{1, 2, 8} {
				for i := range n {
					id := fmt.Sprint("fork", n, "-", i)
					before := len(e.sent())
					e.post(body("", "", c.kid, prompt("task")), "X-Agent-Id", id, "X-Agent-Parent-Id", "root").ok(t)
					e.post(body("", "", c.kid, prompt("task"), assistant("yes"), prompt("more")), "X-Agent-Id", id).ok(t)
					e.post(body("", "", c.kid, prompt("task")), "X-Agent-Id", "below-"+id, "X-Agent-Parent-Id", id).ok(t)
					for _, r := range e.sent()[before:] {
						if got := cacheKey(t, r); got != c.fork {
							t.Errorf("%s: key %s, want %s", id, got, c.fork)
						}
					}
				}
			}
			e.post(body("s", "", c.kid, prompt("task")), "X-Agent-Id", "spawn", "X-Agent-Parent-Id", "root", "X-Agent-Mode", "spawn").ok(t)
			sent := e.sent()
			if got := cacheKey(t, sent[len(sent)-1]); got != c.spawn {
				t.Errorf("the spawn's key is %s, want %s", got, c.spawn)
			}
		})
	}
}

// TestCase15FanOut: of siblings that come together at a point that nobody has read yet, one
// goes first; its first content lets the others go, all at once.
func TestCase15FanOut(t *testing.T) {
	const forks = 8
	arrived, first := make(chan struct{}, forks+1), make(chan struct{})
	e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(raw), "task") {
			reply(200, "application/json", saidJSON("yes"))(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		arrived <- struct{}{}
		<-first
		stream(said("done")...)(w, r)
	})
	// Another model has read none of what the parent's has.
	e.post(body(strings.Repeat("long ", 2000), "", "", prompt("1")), "X-Agent-Id", "root").ok(t)
	var created [forks]struct{ Version uint64 }
	for i := range forks {
		a := e.send(e.request("POST", "/agents", strings.NewReader(fmt.Sprintf(`{"id":"kid%d","parent_id":"root"}`, i)), "Content-Type", "application/json"))
		if err := json.Unmarshal([]byte(a.body), &created[i]); err != nil || a.StatusCode != 201 {
			t.Fatalf("error %v, %s", err, a.body)
		}
	}
	ended := make(chan answer, forks)
	for i := range forks {
		r := e.request("POST", chat, strings.NewReader(strings.Replace(body("", "", `,"stream":true`, prompt("task")), "m1", "m2", 1)), "X-Agent-Id", fmt.Sprint("kid", i), "X-Agent-Parent-Id", "root")
		go func() { ended <- e.send(r) }()
	}
	<-arrived
	for i, kid := range created { // all are in, and still only one has gone up
		e.send(e.request("GET", fmt.Sprintf("/agents/kid%d/wait?after=%d", i, kid.Version), http.NoBody)).ok(t)
	}
	if n := len(e.sent()) - 1; n != 1 {
		t.Errorf("%d siblings went up together, want 1", n)
	}
	close(first)
	for range forks {
		if a := <-ended; a.err != nil || a.StatusCode != 200 {
			t.Errorf("error %v, %s", a.err, a.body)
		}
	}
	if n := len(e.sent()) - 1; n != forks {
		t.Errorf("%d siblings went up, want %d", n, forks)
	}
}
