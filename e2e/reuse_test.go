package e2e

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// explained is GET /agents/{id}/prefix, as far as reuse is concerned.
type explained struct {
	Total  int64 `json:"total_bytes"`
	Shared int64 `json:"shared_bytes"`
	Break  struct{ Cause string }
	Cause  string
	Tokens struct{ Prompt, Shared, Expected, Reported int64 }
}

// last returns how the agent's last request was explained.
func (c *client) last(t *testing.T) (e explained) {
	t.Helper()
	if err := json.Unmarshal(page(t, c.w.proxy.URL+"/agents/"+c.id+"/prefix"), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// goesOn checks that a request has all of an earlier one and its answer in common, and
// that the provider is expected to have what it says it has.
func (e explained) goesOn(t *testing.T, former explained, answer string) {
	t.Helper()
	if want := former.Total + int64(len(answer)); e.Break.Cause != "none" || e.Shared != want {
		t.Errorf("%d bytes are shared, %s; want %d", e.Shared, e.Break.Cause, want)
	}
	if e.Cause != "none" || e.Tokens.Shared <= former.Tokens.Prompt || e.Tokens.Expected == 0 || e.Tokens.Expected != e.Tokens.Reported {
		t.Errorf("%s, %+v, behind %+v", e.Cause, e.Tokens, former.Tokens)
	}
}

// TestReuseOverARestart: a proxy that has just started expects of the provider's cache what
// one before it has sent, also for a fork that it has never seen and whose parent has not
// sent anything since.
func TestReuseOverARestart(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(call("pick", `{"z":"1"}`)), text("Picked."), text("Yes.")},
			"kid":  {text("Done."), text("Done, too.")},
		}, "--provider=sim")
		long := strings.Repeat("a line of some length that is to be kept\n", 100)
		root := w.root("root")
		root.say(t, "note this: "+long)
		former := root.last(t)
		noted := root.items[len(root.items)-1]

		w.proxy.Stop(t)
		w.start("--provider=sim")
		kid := w.fork("kid", "root")
		kid.say(t, "do it")
		kid.last(t).goesOn(t, former, noted)
		former, done := kid.last(t), kid.items[len(kid.items)-1]

		w.proxy.Kill()
		w.start("--provider=sim")
		kid.say(t, "and again")
		kid.last(t).goesOn(t, former, done)

		root.user("pick one")
		picks := root.send(t)
		former = root.last(t)
		w.proxy.Stop(t)
		w.start("--provider=sim")
		root.results(picks).send(t)
		root.last(t).goesOn(t, former, picks.item)
	})
}

// TestReuseElsewhere: a proxy knows what another one on its store has sent meanwhile.
func TestReuseElsewhere(t *testing.T) {
	sharedStores(t, func(t *testing.T, a *world) {
		said := lines{"root": {}}
		for i := range 6 {
			said["root"] = append(said["root"], text("Answer "+strconv.Itoa(i)+"."))
		}
		a.serve(said, "--provider=sim")
		b := a.another("--provider=sim")
		root := a.root("root")
		root.say(t, strings.Repeat("a line of some length that is to be kept\n", 100))
		for _, w := range []*world{b, a, b, b, a} {
			former := root.last(t)
			answer := root.items[len(root.items)-1]
			root.at(w).say(t, "go on")
			root.last(t).goesOn(t, former, answer)
		}
	})
}
