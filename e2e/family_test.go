package e2e

import (
	"strings"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/proxy/sim"
)

// TestFamily: an unmodified library runs a parent that hands a task to a fork child
// within one of its turns. The child begins with what the parent has sent, and tells it
// a finding; the parent reads that at its next step, and behind it that the child is done.
func TestFamily(t *testing.T) {
	everyApp(t, func(t *testing.T, a app, way string) {
		everyStore(t, func(t *testing.T, empty func() string) {
			model := startProvider(t, lines{
				"root": {
					calls(call("look", `{"at":"a"}`), call("look", `{ "at" : "b" }`)),
					text("Both seen."),
					calls(call("delegate", `{"agent":"kid","task":"look at c"}`)),
					text("Thanks."),
					text("Bye."),
				},
				"kid": {
					{Text: "On it.", Calls: []sim.Call{tell("root", "I look at c"), call("look", `{"at":"c"}`)}},
					calls(tell("root", "c is \"green\"")),
					text("Done."),
				},
			})
			p := proxy.Serve(t, harness.Serve{Upstream: model.url, Store: empty()})
			root := turn{URL: p.URL + "/v1", Way: way, Name: "root", Identified: true, System: system}
			for i, exchange := range []struct{ prompt, want string }{
				{"look at a and b", "Both seen."},
				{"let somebody look at c", "Thanks."},
				{"that is all", "Bye."},
			} {
				root.First, root.Prompt = i == 0, exchange.prompt
				if got := a.ask(t, root).Text; got != exchange.want {
					t.Errorf("%q is answered %q, want %q", exchange.prompt, got, exchange.want)
				}
			}

			parent, child := model.appendOnly(t, "root"), model.appendOnly(t, "kid")
			if len(parent) != 5 || len(child) != 3 {
				t.Fatalf("%d requests of the parent and %d of the child, want 5 and 3", len(parent), len(child))
			}
			// The fork: the parent's first turn, answer included, then the task.
			inherited := parent[2].items[:len(parent[1].items)+1]
			beginsItems(t, inherited, child[0].items)
			parent[0].begins(t, child[0])
			if own := child[0].items[len(inherited):]; len(own) != 1 || !strings.Contains(own[0], "look at c") || !strings.Contains(own[0], `\"root\"`) {
				t.Errorf("the child's own part is %s, want the task with its parent's id", own)
			}
			// Mixed calls: both, with both results, in the order of the calls.
			mixed := child[1].items[len(child[0].items):]
			if len(mixed) != 3 || !strings.Contains(mixed[1], "message delivered to agent root") || !strings.Contains(mixed[2], "saw c") {
				t.Errorf("after mixed calls the child reads %s", mixed)
			}
			// What the parent reads at its step boundary, in this order.
			read := parent[3].items[len(parent[2].items):]
			for i, want := range []string{
				`"delegate"`,
				"kid ends with: Done.",
				`Agent kid sent a message:\nI look at c`,
				`Agent kid sent a message:\nc is \"green\"`,
				`Agent kid settled: completed.\nDone.`,
			} {
				if !strings.Contains(at(read, i), want) {
					t.Errorf("item %d is %s, want %s", i, at(read, i), want)
				}
			}
			if len(read) != 5 {
				t.Errorf("the parent reads %d items, want 5: %s", len(read), read)
			}
		})
	})
}
