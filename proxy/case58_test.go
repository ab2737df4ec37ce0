package proxy_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestCase58: a notice that a failed request had taken is unread still, and is read by its
// retry, at the same place, and by nothing else; what came since stays behind it.
func TestCase58(t *testing.T) {
	yes := stream(said("yes")...)
	error200 := stream(`data: {"error":{"message":"busy"},"choices":[]}` + "\n\n")
	for name, failing := range map[string]http.HandlerFunc{
		"a refusal":           reply(500, "application/json", `{"error":{"message":"no"}}`),
		"a refusal for quota": reply(429, "application/json", `{}`),
		"an error event":      error200,
		"no event":            stream(""),
		"only comments":       stream(": wait\n\n"),
		"a reset":             abort(stream("")),
		"no headers":          func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"the client leaves":   func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{}, 1)
			e := newEdge(t, script(yes, yes, func(w http.ResponseWriter, r *http.Request) {
				arrived <- struct{}{}
				failing(w, r)
			}, yes, yes))
			root := []string{"X-Agent-Id", "root"}
			kid := func(id string) {
				e.post(body("", "", `,"stream":true`, prompt("task")), "X-Agent-Id", id, "X-Agent-Parent-Id", "root").ok(t)
			}
			e.post(body("s", "", `,"stream":true`, prompt("1")), root...).ok(t)
			kid("one")
			again := body("s", "", `,"stream":true`, prompt("1"), assistant("yes"), prompt("2"))
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			failed := make(chan answer)
			r := e.request("POST", chat, strings.NewReader(again), root...).WithContext(ctx)
			go func() { failed <- e.send(r) }()
			<-arrived
			if name == "the client leaves" {
				leave()
			}
			<-failed
			for range 3 { // what the proxy does for the one that left has ended, too
				<-e.ended
			}
			unread := func(want float64) {
				t.Helper()
				inbox, _ := e.must(200, "GET", "/agents/root", "")["inbox"].(map[string]any)
				if got := inbox["next_step"]; got != want {
					t.Errorf("%v notices are unread, want %v", got, want)
				}
			}
			unread(1)
			kid("two")
			unread(2)
			e.post(again, root...).ok(t)
			unread(0)
			sent := e.sent()
			first, retry := sent[2].items(t), sent[4].items(t)
			notice := func(id string) string {
				return `{"role":"user","content":"Agent ` + id + ` settled: completed.\nyes"}`
			}
			if want := []string{prompt("1"), assistant("yes"), notice("one"), prompt("2")}; !slices.Equal(first, want) {
				t.Errorf("the failing request sends %s, want %s", first, want)
			}
			if len(retry) < len(first) || !slices.Equal(retry[:len(first)], first) {
				t.Errorf("the retry sends %s after %s", retry, first)
			}
			e.post(body("s", "", `,"stream":true`, prompt("1"), assistant("yes"), prompt("2"), assistant("yes"), prompt("3")), root...).ok(t)
			last := string(e.sent()[len(e.sent())-1].body)
			for _, id := range []string{"one", "two"} {
				if n := strings.Count(last, "Agent "+id+" settled"); n != 1 {
					t.Errorf("the notice of %s is read %d times: %s", id, n, last)
				}
			}
		})
	}
}
