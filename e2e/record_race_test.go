package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"trunkline/proxy/record"
	"trunkline/proxy/sim"
)

// neighbours of eight agents: each may write to those.
var neighbours = map[string][]string{
	"root": {"a", "b", "c"},
	"a":    {"root", "a1", "a2"},
	"b":    {"root", "b1", "b2"},
	"c":    {"root"},
	"a1":   {"a"}, "a2": {"a"}, "b1": {"b"}, "b2": {"b"},
}

// TestAgentsThatRaceReplay: eight agents write to each other at the same time, and whose
// message is read where is decided within the same moments. The recording says how, and each
// replay comes to the same bytes: two in every run, 20 in the full one.
func TestAgentsThatRaceReplay(t *testing.T) {
	replays := 2
	if os.Getenv("TRUNKLINE_FULL") != "" {
		replays = 20
	}
	everyStore(t, func(t *testing.T, empty func() string) {
		dir := filepath.Join(t.TempDir(), "recordings")
		w := &world{t: t, stream: true, store: empty()}
		w.model = serveModel(t, sim.Config{
			Script:       chatter,
			Conversation: func(r sim.Request) string { return r.Header.Get("X-Story") },
		})
		w.start("--record=" + dir)
		root := w.root("root")
		root.say(t, "get ready")
		generation := []*client{w.fork("a", "root"), w.fork("b", "root"), w.fork("c", "root")}
		atOnce(t, generation)
		all := append(slices.Clip(generation), root)
		generation = []*client{w.fork("a1", "a"), w.fork("a2", "a"), w.fork("b1", "b"), w.fork("b2", "b")}
		atOnce(t, append(slices.Clip(generation), all...))
		atOnce(t, append(generation, all...))
		w.proxy.Stop(t)

		sessions, err := record.Load(dir)
		if err != nil || len(sessions) != 1 {
			t.Fatalf("%d sessions, %v", len(sessions), err)
		}
		for range replays {
			report, err := sessions[0].Replay(t.Context(), record.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Differences) > 0 {
				t.Fatalf("%d differences of %d requests, the first:\n%s", len(report.Differences), len(report.Requests), report.Differences[0])
			}
		}
	})
}

// chatter is the model of each of them: for some steps it writes to everybody whom it may
// write to, alone and beside a call of its client's tool, and looks who is there.
func chatter(r sim.Request) sim.Answer {
	answer := text(fmt.Sprintf("text %d of %s", r.Ordinal, r.Conversation))
	if r.Ordinal == 0 || r.Ordinal > 14 {
		return answer
	}
	switch r.Ordinal % 4 {
	case 0:
		return answer
	case 1:
		answer.Calls = append(answer.Calls, call("list_agents", `{"scope":"descendants"}`))
	case 2:
		answer.Calls = append(answer.Calls, call("pick", `{ "z":"1" }`))
	}
	for _, to := range neighbours[r.Conversation] {
		answer.Calls = append(answer.Calls, tell(to, fmt.Sprintf("message %d of %s", r.Ordinal, r.Conversation)))
	}
	return answer
}

// atOnce has each client take a turn, all at the same time.
func atOnce(t *testing.T, clients []*client) {
	t.Helper()
	var turns sync.WaitGroup
	for _, c := range clients {
		turns.Go(func() {
			c.user("go on, " + c.id)
			for {
				a := c.try(t)
				if a.status != http.StatusOK || !a.whole() {
					t.Errorf("%s is answered %d, not whole: %v\n%s", c.id, a.status, a.err, a.raw)
					return
				}
				c.items = append(c.items, a.item)
				if len(a.calls) == 0 {
					return
				}
				c.results(a)
			}
		})
	}
	turns.Wait()
	if t.Failed() {
		t.FailNow()
	}
}
