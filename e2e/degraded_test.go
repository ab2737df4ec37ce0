package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"trunkline/e2e/harness"
	"trunkline/proxy/sim"
)

// loss is a way in which a server goes and comes back.
type loss struct {
	lose, find func(*testing.T, *harness.Redis)
}

// losses runs a test for each of the two: the process dies, or lives and says nothing.
func losses(t *testing.T, test func(*testing.T, loss)) {
	for name, way := range map[string]loss{
		"killed":  {func(_ *testing.T, r *harness.Redis) { r.Kill() }, func(t *testing.T, r *harness.Redis) { r.Restart(t) }},
		"hanging": {func(t *testing.T, r *harness.Redis) { r.Pause(t) }, func(t *testing.T, r *harness.Redis) { r.Resume(t) }},
	} {
		t.Run(name, func(t *testing.T) { test(t, way) })
	}
}

// TestStoreGoesAndComes takes Redis away from a running proxy, and gives it back. Meanwhile
// everybody is served who needs no store, and everybody else is told so; afterwards all is as
// it was.
func TestStoreGoesAndComes(t *testing.T) {
	losses(t, func(t *testing.T, way loss) {
		redis := harness.StartRedis(t)
		w := &world{t: t, stream: true, store: redis.URL()}
		w.serve(lines{
			"root":      {text("One."), text("Two."), text("Three.")},
			"kid":       {calls(tell("root", "a finding")), text("Told."), text("Again.")},
			"anonymous": {text("1"), text("2"), text("3")},
		})
		root, kid, anonymous := w.root("root"), w.fork("kid", "root"), w.root("")
		root.say(t, "one")
		kid.say(t, "find out")
		anonymous.say(t, "hello")
		ask, _ := status(t, w.proxy.URL)
		if ask != "ok" {
			t.Fatalf("/readyz says %q with a store", ask)
		}

		way.lose(t, redis)
		anonymous.say(t, "on the same connection")
		stranger := w.root("")
		stranger.http.Transport = &http.Transport{DisableKeepAlives: true}
		stranger.say(t, "on a new one")
		for _, c := range []*client{root.user("two"), kid.user("more"), w.root("new").user("hello")} {
			refused(t, c)
		}
		if status, why := status(t, w.proxy.URL); status != "degraded" || why == "" {
			t.Errorf("/readyz says %q because of %q", status, why)
		}

		way.find(t, redis)
		recovered(t, w.proxy.URL)
		if got := root.send(t).text; got != "Two." {
			t.Errorf("after the loss the root reads %q", got)
		}
		kid.send(t)
		root.say(t, "three")
		steps := w.model.appendOnly(t, "root")
		w.model.appendOnly(t, "kid")
		if n := strings.Count(steps[len(steps)-1].raw, "a finding"); n != 1 {
			t.Errorf("the root reads %d times what was sent before the loss", n)
		}
		if n := strings.Count(steps[len(steps)-1].raw, "Agent kid settled: completed."); n != 2 {
			t.Errorf("the root reads %d notices of two turns", n)
		}
	})
}

// TestStoreLostWhileAnswering: an answer that cannot be recorded has no end for its client,
// nor has one of which a hanging store does not say whether it has it. The same request, when
// the store is back, is the same turn: what the first try was about to send is sent once.
func TestStoreLostWhileAnswering(t *testing.T) {
	losses(t, func(t *testing.T, way loss) {
		redis := harness.StartRedis(t)
		gate := make(chan struct{})
		w := &world{t: t, stream: true, store: redis.URL()}
		w.model = serveModel(t, sim.Config{
			Conversation: func(r sim.Request) string { return r.Header.Get("X-Story") },
			Script: func(r sim.Request) sim.Answer {
				find := calls(tell("root", "a finding"))
				switch {
				case r.Conversation != "kid":
					return text("Here.")
				case r.Ordinal == 0:
					find.Text, find.Gates = "Well.", map[int]<-chan struct{}{2: gate}
					return find
				case r.Items[len(r.Items)-1].Role == "tool":
					return text("Told.")
				default:
					return find
				}
			},
		})
		w.start("--lease=500ms")
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "one")

		response, err := kid.user("find out").post(t.Context())
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%v %v", response, err)
		}
		way.lose(t, redis)
		close(gate)
		if a := readAnswer(t, response); a.whole() || a.done || a.finish != "" {
			t.Errorf("an answer that may be on no record looks whole: %s", a.raw)
		}
		w.root("").say(t, "still there?")
		way.find(t, redis)
		recovered(t, w.proxy.URL)
		if got := kid.send(t).text; !strings.HasSuffix(got, "Told.") {
			t.Errorf("the retry is answered %q", got)
		}
		root.say(t, "two")
		w.model.appendOnly(t, "kid")
		if n := strings.Count(w.model.last(t, "root").raw, "a finding"); n != 1 {
			t.Errorf("the root reads the message %d times", n)
		}
	})
}

// TestStoreDiesUnderTheCrowd kills Redis again and again while a crowd talks through two
// proxies, which live on. What Redis acknowledged it still has.
func TestStoreDiesUnderTheCrowd(t *testing.T) {
	everyCrowd(t, func(t *testing.T, c *crowd) {
		c.down, c.late = true, true
		redis := harness.StartRedis(t)
		setup := harness.Serve{Upstream: c.url, Store: redis.URL(), Args: []string{"--lease=500ms"}}
		c.offer(c.door(proxy.Serve(t, setup).URL), c.door(proxy.Serve(t, setup).URL))
		c.start()
		for range kills / 3 {
			c.moment()
			redis.Kill()
			c.pause(time.Duration(c.rng.IntN(50)) * time.Millisecond)
			redis.Restart(t)
		}
		c.settle()
	})
}

// refused fails the test unless a request is answered at once with what to do about it.
func refused(t *testing.T, c *client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // the store's own bounds are 2 s
	defer cancel()
	response, err := c.post(ctx)
	if err != nil {
		t.Errorf("%s: %v", c.name(), err)
		return
	}
	after := response.Header.Get("Retry-After")
	a := readAnswer(t, response)
	if a.status != http.StatusServiceUnavailable || after == "" || !strings.Contains(string(a.raw), "store_unavailable") {
		t.Errorf("%s is answered %d, Retry-After %q: %s", c.name(), a.status, after, a.raw)
	}
}

// status asks a proxy how it is, and why.
func status(t *testing.T, url string) (status, reason string) {
	t.Helper()
	response, err := http.Get(url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var ready struct{ Status, Reason string }
	if err := json.NewDecoder(response.Body).Decode(&ready); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("/readyz: %s, %v", response.Status, err)
	}
	return ready.Status, ready.Reason
}

// recovered returns when the proxy has found its store again.
func recovered(t *testing.T, url string) { t.Helper(); becomes(t, url, "ok") }

// becomes returns when the proxy says that its status is this.
func becomes(t *testing.T, url, want string) {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	bound := time.NewTimer(patience)
	defer bound.Stop()
	for {
		now, why := status(t, url)
		if now == want {
			return
		}
		select {
		case <-again.C:
		case <-bound.C:
			t.Fatalf("after %s the proxy is still %s: %s", patience, now, why)
		}
	}
}
