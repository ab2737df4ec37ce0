package e2e

import (
	"strings"
	"testing"
	"time"

	"trunkline/agents"
	"trunkline/agents/redisstore"
)

// TestStoppedProxyGoesOn: a proxy stops in the middle of an answer, for longer than its
// lease, and nobody comes for the agent meanwhile. When it goes on, its answer is whole and on
// record, as if it had only been slow.
func TestStoppedProxyGoesOn(t *testing.T) {
	sharedStores(t, func(t *testing.T, a *world) {
		hold := make(chan struct{})
		gate := 0
		if a.stream {
			gate = 2
		}
		a.serve(lines{
			"root": {text("Noted."), {Text: "After all.", Gates: map[int]<-chan struct{}{gate: hold}}, text("Later.")},
		}, "--lease=500ms")
		b := a.another("--lease=500ms")
		root := a.root("root")
		root.say(t, "note this")
		first := root.user("go").begin(t)
		a.model.holds(t, 2)
		a.proxy.Pause(t)
		lapsed(t, a.store)
		a.proxy.Resume(t)
		close(hold)
		got := <-first
		if !got.whole() || got.text != "After all." {
			t.Fatalf("the answer of a proxy that nobody overtook is %s %v", got.raw, got.err)
		}
		root.items = append(root.items, got.item)
		root.at(b).say(t, "and then?")

		steps := a.model.appendOnly(t, "root")
		if len(steps) != 3 || !strings.Contains(steps[2].raw, "After all.") {
			t.Errorf("%d requests went up, the last as %s", len(steps), steps[len(steps)-1].raw)
		}
	})
}

// lapsed waits until the lease of the store's only agent, whose holder is stopped, has lapsed.
func lapsed(t *testing.T, url string) {
	t.Helper()
	store, err := redisstore.Open(t.Context(), url, redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	service := agents.New(agents.Config{Store: store, Holder: "test"})
	roots, _, err := store.Roots(t.Context(), "", 1)
	if err != nil || len(roots) == 0 {
		t.Fatalf("the store has roots %v, %v", roots, err)
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for range 1000 {
		root, err := service.Load(t.Context(), roots[0])
		switch {
		case err != nil || root.Lease == nil:
			t.Fatalf("the agent is held by %+v, %v", root.Agent, err)
		case !root.Leased(time.Now(), "test", false):
			return
		}
		<-look.C
	}
	t.Fatal("the lease of a stopped proxy does not lapse")
}
