package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trunkline/agents/redisstore/redistest"
	"trunkline/e2e/harness"
	"trunkline/proxy/sim"
)

// another starts one more proxy on the store and the provider of w.
func (w *world) another(args ...string) *world {
	w.t.Helper()
	other := *w
	other.start(args...)
	return &other
}

// at has the client talk to another proxy from now on.
func (c *client) at(w *world) *client {
	c.w = w
	return c
}

// sharedStores tells a story on each store that several proxies can share, to clients that
// stream and that do not.
func sharedStores(t *testing.T, story func(t *testing.T, w *world)) {
	for engine, start := range map[string]func(*testing.T) (empty func() string){
		"redis":   func(t *testing.T) func() string { return databases(harness.StartRedis(t)) },
		"cluster": func(t *testing.T) func() string { return flushed(redistest.StartCluster(t, 3)) },
	} {
		t.Run(engine, func(t *testing.T) {
			empty := start(t)
			for _, stream := range []bool{true, false} {
				t.Run(map[bool]string{true: "stream", false: "whole"}[stream], func(t *testing.T) {
					story(t, &world{t: t, stream: stream, store: empty()})
				})
			}
		})
	}
}

// TestAnyProxyServesAnyAgent: parent and child change the proxy with every request, also
// within a turn, and their models notice nothing.
func TestAnyProxyServesAnyAgent(t *testing.T) {
	sharedStores(t, func(t *testing.T, a *world) {
		a.serve(lines{
			"root": {text("Noted."), calls(call("pick", `{"a":"q"}`)), text("Read."), calls(tell("kid", "down")), text("Later.")},
			"kid":  {{Text: "On it.", Calls: []sim.Call{tell("root", "up"), call("pick", `{}`)}}, text("Told."), text("Read too.")},
		})
		b := a.another()
		root, kid := a.root("root"), a.fork("kid", "root")
		root.say(t, "note this")
		picked := root.at(b).user("pick").send(t)
		mixed := kid.at(b).user("go").send(t)
		kid.at(a).results(mixed).send(t)
		root.at(a).results(picked).send(t)
		root.at(b).say(t, "tell it")
		kid.at(b).say(t, "anything new?")
		root.at(a).user("the end")

		parent, child := a.model.appendOnly(t, "root"), a.model.appendOnly(t, "kid")
		parent[0].begins(t, child[0])
		want := []string{
			message("user", "Agent kid sent a message:\nup"),
			message("user", "Agent kid settled: completed.\nTold."),
		}
		if got := parent[2].items[len(parent[1].items)+2:]; !slices.Equal(got, want) {
			t.Errorf("the parent reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		down := message("user", "Agent root sent a message:\ndown")
		if items := child[len(child)-1].items; items[len(items)-2] != down {
			t.Errorf("the child reads %s ahead of its prompt, want %s", items[len(items)-2], down)
		}
	})
}

// TestTwoAtOnce: while one proxy holds an agent's answer, another request of the agent is
// answered beside it by the other proxy: nothing that it says is done, and it leaves no trace.
func TestTwoAtOnce(t *testing.T) {
	sharedStores(t, func(t *testing.T, a *world) {
		hold := make(chan struct{})
		gate := 0
		if a.stream {
			gate = 2
		}
		a.serve(lines{
			"root": {
				text("Noted."),
				{Text: "The first.", Gates: map[int]<-chan struct{}{gate: hold}},
				calls(tell("kid", "never")), text("Beside."),
				text("Later."),
			},
			"kid": {text("Ready."), text("Still.")},
		}, "--lease=1s")
		b := a.another("--lease=1s")
		root, kid := a.root("root"), a.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "be ready")

		other := *root
		other.at(b).items = slices.Clone(root.items)
		first := root.user("first").begin(t)
		a.model.holds(t, 3)
		other.say(t, "second")
		close(hold)
		got := <-first
		if got.text != "The first." {
			t.Fatalf("the first request is answered %s %v", got.raw, got.err)
		}
		root.items = append(root.items, got.item)
		root.at(b).say(t, "third")
		kid.at(b).say(t, "anything?")

		steps := a.model.received(t, "root")
		noted, held, beside, result, last := steps[0], steps[1], steps[2], steps[3], steps[4]
		for _, later := range []received{held, beside} {
			noted.begins(t, later)
		}
		held.begins(t, last)
		if text := result.items[len(result.items)-1]; !strings.Contains(text, "Error: another request of this agent is being served; the message was not delivered.") {
			t.Errorf("the request beside is told %s", text)
		}
		if strings.Contains(last.raw, "second") || strings.Contains(a.model.last(t, "kid").raw, "never") {
			t.Error("the request beside has left a trace")
		}
	})
}

// TestStoppedProxyIsOvertaken: a proxy stops in the middle of an answer, for longer than
// its lease. Another one takes the agent over, with the same bytes and the same messages
// in them. When the first one goes on, its answer has no end and is on no record.
func TestStoppedProxyIsOvertaken(t *testing.T) {
	sharedStores(t, func(t *testing.T, a *world) {
		hold := make(chan struct{})
		gate := 0
		if a.stream {
			gate = 2
		}
		a.serve(lines{
			"root": {text("Noted."), {Text: "From the first.", Gates: map[int]<-chan struct{}{gate: hold}}, text("From the second."), text("Later.")},
			"kid":  {calls(tell("root", "up")), text("Told.")},
		}, "--lease=500ms")
		b := a.another("--lease=500ms")
		root, kid := a.root("root"), a.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "tell")

		first := root.user("go").begin(t)
		a.model.holds(t, 4)
		a.proxy.Pause(t)
		if got := root.at(b).send(t); got.text != "From the second." {
			t.Errorf("the other proxy answers %s", got.raw)
		}
		a.proxy.Resume(t)
		close(hold)
		if got := <-first; got.whole() || got.done {
			t.Errorf("the overtaken answer looks whole: %s", got.raw)
		}
		root.at(a).say(t, "and then?")

		steps := a.model.appendOnly(t, "root")
		if len(steps) != 4 || !slices.Equal(steps[1].items, steps[2].items) {
			t.Fatalf("%d requests; the two proxies sent\n%s\nand\n%s", len(steps), steps[1].raw, steps[2].raw)
		}
		if n := strings.Count(steps[3].raw, `sent a message:\nup`); n != 1 {
			t.Errorf("the root reads the message %d times", n)
		}
		if strings.Contains(steps[3].raw, "From the first.") || !strings.Contains(steps[3].raw, "From the second.") {
			t.Errorf("the history is not the second proxy's: %s", steps[3].raw)
		}
	})
}

// farAway is a lease so long that nothing which needs a renewal happens in a test: what
// reaches the other proxy does so by the store's hints.
const farAway = "--lease=1h"

// TestInterruptReachesTheOtherProxy: an interrupt through one proxy ends the answer that
// another one is giving.
func TestInterruptReachesTheOtherProxy(t *testing.T) {
	sharedStores(t, func(t *testing.T, a *world) {
		a.serve(lines{
			"root": {text("Noted."), calls(call("interrupt_agent", `{"agent_id":"kid"}`)), text("Stopped."), text("Read."), text("Read.")},
			"kid":  {{Text: "Counting one, two", Piece: 8, Gates: map[int]<-chan struct{}{2: make(chan struct{}), 0: a.never()}}},
		}, farAway)
		b := a.another(farAway)
		root, kid := a.root("root"), a.fork("kid", "root")
		root.say(t, "note this")
		ended := kid.user("count").begin(t)
		a.model.holds(t, 2)
		root.at(b).say(t, "stop it")
		if got := <-ended; !got.whole() || got.finish != "stop" || len(got.calls) > 0 {
			t.Errorf("the interrupted answer is %s %v", got.raw, got.err)
		}
		root.say(t, "well?")
		if last := a.model.last(t, "root").raw; !strings.Contains(last, `Agent kid settled: aborted.`) {
			t.Errorf("the parent is not told: %s", last)
		}
	})
}

// never holds a whole answer before its headers; a stream shows its first event.
func (w *world) never() <-chan struct{} {
	never := make(chan struct{})
	if w.stream {
		close(never)
	}
	return never
}

// TestWakeUpsReachTheOtherProxy: who waits at one proxy for an agent is woken by what
// happens to it at another.
func TestWakeUpsReachTheOtherProxy(t *testing.T) {
	sharedStores(t, func(t *testing.T, a *world) {
		a.serve(lines{
			"root": {text("Noted."), text("Read."), text("More.")},
			"kid":  {calls(tell("root", "up")), text("Told.")},
		}, farAway)
		b := a.another(farAway)
		root, kid := a.root("root"), a.fork("kid", "root")
		root.say(t, "note this")
		before := api(t, b.proxy, 200, "GET", "/agents/root", "")
		woken := make(chan map[string]any)
		go func() {
			defer close(woken)
			woken <- api(t, b.proxy, 200, "GET", fmt.Sprintf("/agents/root/wait?timeout=1m&after=%v", before["version"]), "")
		}()
		kid.say(t, "tell")
		if after := <-woken; after["version"] == before["version"] {
			t.Errorf("the wait ends with %v", after)
		}
	})
}
