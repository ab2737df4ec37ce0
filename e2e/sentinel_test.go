package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"trunkline/agents/redisstore/redistest"
)

// TestFailover has a sentinel put another Redis in the place of the one that keeps the
// agents, while an answer is given and messages wait. All goes on there. Then that one dies,
// and one of the others takes its place in turn: meanwhile the proxy says that it has no
// store, and afterwards by itself that it has one. What was accepted is delivered once,
// since nothing counts that is not on a replica.
func TestFailover(t *testing.T) {
	var servers [3]*redistest.Server
	for i := range servers {
		servers[i] = redistest.Start(t, "--repl-diskless-sync-delay", "0")
		if i > 0 {
			servers[i].Follow(servers[0])
		}
	}
	sentinel := redistest.StartSentinel(t, servers[0])
	hold := make(chan struct{})
	w := &world{t: t, stream: true, store: strings.Replace(sentinel.URL(), "://", "://127.0.0.1:1,", 1) + "?wait_replicas=1"} // one sentinel of two is gone
	w.serve(lines{
		"root":      {text("One."), {Text: "Two, at length.", Piece: 4, Gates: map[int]<-chan struct{}{2: hold}}, text(" Read."), calls(tell("kid", "go on")), text("Told."), text("Last.")},
		"kid":       {calls(tell("root", "a finding")), text("Found."), text("Going on.")},
		"anonymous": {text("Here.")},
	})
	root, kid := w.root("root"), w.fork("kid", "root")
	root.say(t, "one")
	answering, err := root.user("two").post(t.Context())
	if err != nil || answering.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", answering, err)
	}
	w.model.holds(t, 2)
	kid.say(t, "find out")

	sentinel.Failover()
	sentinel.Demoted() // from here on only one takes writes
	recovered(t, w.proxy.URL)
	close(hold)
	a := readAnswer(t, answering)
	if !a.whole() || a.text != "Two, at length. Read." {
		t.Fatalf("the answer that was given over the failover: %v\n%s", a.err, a.raw)
	}
	root.items = append(root.items, a.item)
	root.say(t, "tell it to go on")

	primary := sentinel.Primary()
	for _, s := range servers {
		if s.Addr == primary {
			s.Kill()
		}
	}
	becomes(t, w.proxy.URL, "degraded")
	w.root("").say(t, "still there?")
	refused(t, kid.user("go on"))
	recovered(t, w.proxy.URL)
	kid.send(t)
	root.say(t, "well?")

	steps := w.model.appendOnly(t, "root")
	if last := steps[len(steps)-1].raw; strings.Count(last, `sent a message:\na finding`) != 1 || strings.Count(last, "Agent kid settled: completed.") != 2 {
		t.Errorf("the root reads %s", last)
	}
	steps = w.model.appendOnly(t, "kid")
	want := message("user", "Agent root sent a message:\ngo on")
	if items := steps[len(steps)-1].items; !slices.Contains(items, want) {
		t.Errorf("the child reads\n%s\nwithout\n%s", strings.Join(items, "\n"), want)
	}
}
