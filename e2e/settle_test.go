package e2e

import (
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// TestSettlementOrder: a notice comes behind its child's messages, and a child settles
// only after its own children.
func TestSettlementOrder(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root":     {text("Noted."), text("Read.")},
			"kid":      {calls(call("pick", `{"a":"b"}`)), text("Waiting."), text("All done.")},
			"grandkid": {calls(tell("kid", "found it")), {Text: "Cut o", Finish: "length"}},
			"silent":   {text("")},
			"none":     {text("Nobody hears this.")},
		})
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		a := kid.user("go").send(t)
		w.fork("grandkid", "kid").say(t, "search")
		kid.results(a).send(t) // reads message and notice; its turn ends here
		kid.say(t, "finish")
		w.fork("silent", "root").say(t, "say nothing")
		none := w.fork("none", "root")
		none.header = map[string]string{"X-Agent-Notify": "none"}
		none.say(t, "work")
		root.say(t, "what came?")

		read := strings.Join(w.model.appendOnly(t, "kid")[1].items, "\n")
		told := strings.Index(read, `Agent grandkid sent a message:\nfound it`)
		settled := strings.Index(read, `Agent grandkid settled: max-tokens.\nCut o`)
		if told < 0 || settled < told {
			t.Errorf("the child reads\n%s", read)
		}
		read = strings.Join(w.model.appendOnly(t, "root")[1].items, "\n")
		from := 0
		for _, want := range []string{
			`Agent kid settled: completed.\nWaiting.`,
			`Agent kid settled: completed.\nAll done.`,
			`Agent silent settled: completed.\n(no closing message)`,
		} {
			i := strings.Index(read[from:], want)
			if i < 0 {
				t.Errorf("the parent does not read %q in its place:\n%s", want, read)
				continue
			}
			from += i
		}
		if n := strings.Count(read, "settled:"); n != 3 {
			t.Errorf("the parent reads %d notices, want 3:\n%s", n, read)
		}
	})
}

// TestList: list_agents tells the state of each agent below its caller.
func TestList(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {
				calls(call("list_agents", `{}`)), text("Nobody."),
				calls(call("list_agents", `{}`), call("list_agents", `{"scope":"descendants"}`), call("list_agents", `{"scope":"all"}`)), text("Some."),
			},
			"busy":     {calls(call("pick", `{}`))},
			"done":     {text("Done.")},
			"once":     {text("Done.")},
			"grandkid": {text("Done.")},
		})
		root := w.root("root")
		root.say(t, "who is there?")
		busy, done, once := w.fork("busy", "root"), w.fork("done", "root"), w.fork("once", "root")
		busy.header = map[string]string{"X-Agent-Label": "counts sheep"}
		once.header = map[string]string{"X-Agent-Kind": "one-shot"}
		busy.user("count").send(t)
		done.say(t, "be quick")
		once.say(t, "once")
		w.fork("grandkid", "done").say(t, "help")
		root.say(t, "and now?")

		steps := w.model.appendOnly(t, "root")
		if got := at(steps[1].items, len(steps[0].items)+1); !strings.Contains(got, `"(no subagents)"`) {
			t.Errorf("without children the list is %s", got)
		}
		results := steps[3].items[len(steps[3].items)-3:]
		for i, want := range []string{
			`"busy [running] — counts sheep\ndone [ready] — (no label)"`,
			`"busy [running] parent=root depth=1 — counts sheep\ndone [ready] parent=root depth=1 — (no label)\ngrandkid [ready] parent=done depth=2 — (no label)"`,
			`Error: \"scope\" must be one of`,
		} {
			if !strings.Contains(results[i], want) {
				t.Errorf("list %d is %s, want %s", i, results[i], want)
			}
		}
	})
}

// TestInterrupt: the open answer of an interrupted agent ends without calls, its turn
// takes no results any more, and a new prompt opens the next one.
func TestInterrupt(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		gate := 0 // a whole answer is held before its headers
		if w.stream {
			gate = 2 // role and first piece are out
		}
		held := sim.Answer{
			Text: "Counting one, two", Piece: 8, Calls: []sim.Call{call("pick", `{}`)},
			Gates: map[int]<-chan struct{}{gate: make(chan struct{})},
		}
		w.serve(lines{
			"root": {
				text("Noted."),
				calls(call("interrupt_agent", `{"agent_id":"kid"}`), call("interrupt_agent", `{"agent_id":"root"}`), call("interrupt_agent", `{"agent_id":"nobody"}`)),
				// The notice comes when the child's exchange has ended: in this turn,
				// which it may extend, or in the next one.
				text("Stopped."), text("Read."), text("Read."),
			},
			"kid": {calls(call("pick", `{"z":"0"}`)), held, text("Here.")},
		})
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		kid.results(kid.user("count").send(t))
		answered := make(chan answer)
		go func() {
			response, err := kid.post(t.Context())
			if err != nil {
				t.Error(err)
				close(answered)
				return
			}
			answered <- readAnswer(t, response)
		}()
		w.model.holds(t, 3)
		root.say(t, "stop it")
		a := <-answered
		if !a.whole() || a.finish != "stop" || len(a.calls) > 0 {
			t.Errorf("the interrupted answer is %s", a.raw)
		}
		steps := w.model.appendOnly(t, "root")
		results := steps[2].items[len(steps[1].items)+1:]
		for i, want := range []string{"interrupt requested for agent kid", "Error: an agent cannot interrupt itself", "interrupt requested for agent nobody"} {
			if !strings.Contains(results[i], want) {
				t.Errorf("result %d is %s, want %s", i, results[i], want)
			}
		}
		kid.items = append(kid.items, a.item, `{"role":"tool","tool_call_id":"late","content":"late"}`)
		if late := kid.try(t); late.status != 400 || late.code != "turn_interrupted" {
			t.Errorf("a late result is answered %d %s", late.status, late.raw)
		}
		kid.items = kid.items[:len(kid.items)-1]
		if got := kid.say(t, "still there?"); got != "Here." {
			t.Errorf("the next turn is answered %q", got)
		}
		root.say(t, "what came?")
		read := strings.Join(w.model.last(t, "root").items, "\n")
		if !strings.Contains(read, "Agent kid settled: aborted.") {
			t.Errorf("the parent does not read that its child was stopped:\n%s", read)
		}
		w.model.appendOnly(t, "kid")
	})
}
