package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/proxy"
)

// TestSiblingAhead: siblings that wait for the one ahead of them go as soon as that is over,
// however it ends, and after 30 s at the latest; one after another where the provider wants
// that, else all at once. A setting sends them together.
func TestSiblingAhead(t *testing.T) {
	const behind = 3
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	speaks := func(w http.ResponseWriter, r *http.Request) {
		stream(said("yes")[0])(w, r)
		<-r.Context().Done()
	}
	for name, c := range map[string]struct {
		ahead    http.HandlerFunc // what becomes of the one ahead, a second after it came
		leaves   bool             // its client does, then
		together bool             // as the setting says
		wait     time.Duration    // of those behind
		serial   time.Duration    // the same where they go one after another
	}{
		"answers":      {ahead: stream(said("yes")...), wait: time.Second, serial: time.Second},
		"begins":       {ahead: speaks, wait: time.Second, serial: 30 * time.Second},
		"is refused":   {ahead: reply(500, "application/json", "{}"), wait: time.Second, serial: time.Second},
		"is too many":  {ahead: reply(429, "application/json", "{}"), wait: time.Second, serial: time.Second},
		"breaks off":   {ahead: abort(stream("")), wait: time.Second, serial: time.Second},
		"is an error":  {ahead: stream(`data: {"error":{"message":"busy"}}` + "\n\n"), wait: time.Second, serial: time.Second},
		"leaves":       {ahead: silent, leaves: true, wait: time.Second, serial: time.Second},
		"hangs":        {ahead: silent, wait: 30 * time.Second, serial: 30 * time.Second},
		"is not ahead": {ahead: silent, together: true},
	} {
		for _, provider := range []string{"generic", "llamacpp"} {
			t.Run(name+", "+provider, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var forks atomic.Int32
					arrived := make(chan time.Time, 1+behind)
					e, stop := newPipeEdge(t, func(w http.ResponseWriter, r *http.Request) {
						raw, _ := io.ReadAll(r.Body)
						if !strings.Contains(string(raw), "task") {
							reply(200, "application/json", saidJSON("yes"))(w, r)
							return
						}
						arrived <- time.Now()
						if forks.Add(1) > 1 {
							stream(said("yes")...)(w, r)
							return
						}
						select {
						case <-time.After(time.Second):
							c.ahead(w, r)
						case <-r.Context().Done():
						}
					}, profile(t, provider), func(config *proxy.Config) { config.NoStaging = c.together })
					defer stop()
					e.post(body(strings.Repeat("long ", 2000), "", "", prompt("1")), "X-Agent-Id", "root").ok(t)
					// Another model has read none of what the parent's has.
					ask := strings.Replace(body("", "", `,"stream":true`, prompt("task")), "m1", "m2", 1)
					ctx, leave := context.WithCancel(t.Context())
					defer leave()
					ended := make(chan answer, 1+behind)
					send := func(ctx context.Context, id string) {
						r := e.request("POST", chat, strings.NewReader(ask), "X-Agent-Id", id, "X-Agent-Parent-Id", "root").WithContext(ctx)
						go func() { ended <- e.send(r) }()
					}
					send(ctx, "ahead")
					began := <-arrived
					for i := range behind {
						send(t.Context(), fmt.Sprint("behind", i))
					}
					if c.leaves {
						time.Sleep(time.Second)
						leave()
					}
					wait := c.wait
					if provider == "llamacpp" {
						wait = c.serial
					}
					for range behind {
						if got := (<-arrived).Sub(began); got != wait {
							t.Errorf("one waited %v, want %v", got, wait)
						}
					}
					leave() // else one that is silent never ends
					good := 0
					for range 1 + behind {
						if a := <-ended; a.err == nil && strings.Contains(a.body, "yes") {
							good++
						}
					}
					if good < behind {
						t.Errorf("%d are answered, want %d", good, behind)
					}
				})
			})
		}
	}
}
