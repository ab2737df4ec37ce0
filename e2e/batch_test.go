package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestCase66NothingInsideABatch: what is pending never comes between calls and their
// results: a request with half of the results goes up without it, and the complete one
// has it at the very end.
func TestCase66NothingInsideABatch(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(call("pick", `{"z":"1"}`), call("pick", `{"z":"2"}`)), text("Both.")},
			"kid":  {calls(tell("root", "news")), text("Told.")},
		})
		root := w.root("root")
		root.say(t, "note this")
		a := root.user("pick two").send(t)
		w.fork("kid", "root").say(t, "go")
		root.results(a)
		second := root.items[len(root.items)-1]
		root.items = root.items[:len(root.items)-1]
		if half := root.try(t); half.status != 400 || half.header.Get("X-Trunkline-Error") != "" {
			t.Errorf("half a batch is answered %d %s, want the provider's own error", half.status, half.raw)
		}
		if got := w.model.last(t, "root").items; strings.Contains(strings.Join(got, "\n"), "news") {
			t.Errorf("half a batch goes up as %s", got)
		}
		root.items = append(root.items, second)
		root.send(t)
		steps := w.model.received(t, "root")
		got := steps[3].items[len(steps[1].items)+1:]
		want := []string{root.items[len(root.items)-3], second,
			message("user", "Agent kid sent a message:\nnews"), message("user", "Agent kid settled: completed.\nTold.")}
		if !slices.Equal(got, want) {
			t.Errorf("the model reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestResultsInAnyOrder: the client may bring its results in another order than that of
// the calls; the model reads them in the order of the calls, ours among them.
func TestResultsInAnyOrder(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {
			calls(call("pick", `{"z":"1"}`), call("list_agents", `{}`), call("pick", `{"z":"2"}`)), text("Seen."), text("Later."),
		}})
		root := w.root("root")
		root.results(root.user("pick two").send(t))
		n := len(root.items)
		root.items[n-1], root.items[n-2] = root.items[n-2], root.items[n-1]
		root.send(t)
		root.say(t, "and then?")
		steps := w.model.appendOnly(t, "root")
		results := steps[1].items[len(steps[0].items)+1:]
		if len(results) != 3 || results[0] != root.items[n-1] || !strings.Contains(results[1], "(no subagents)") || results[2] != root.items[n-2] {
			t.Errorf("the model reads\n%s", strings.Join(results, "\n"))
		}
	})
}
