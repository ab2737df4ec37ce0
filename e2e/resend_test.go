package e2e

import (
	"strings"
	"testing"
)

// resending is the client of a fork child that sends what it inherits itself: all that
// its parent's client knows of.
func resending(w *world, id string, parent *client) *client {
	c := w.fork(id, parent.id)
	c.items = append(c.items, parent.items...)
	c.tools = parent.tools
	return c
}

// TestForkOfAnOpenTurn: a client that forks out of a tool call sends that turn along, with
// a result of its own. What matches is the parent's, and the task is what follows.
func TestForkOfAnOpenTurn(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(call("pick", `{ "z" : "1" }`))},
			"kid":  {text("Done.")},
		})
		root := w.root("root")
		root.say(t, "note this")
		open := root.user("pick one").send(t)

		kid := resending(w, "kid", root)
		kid.results(open).say(t, "pick two")

		parent, child := w.model.last(t, "root"), w.model.last(t, "kid")
		parent.begins(t, child)
		own := child.items[len(parent.items):]
		if len(own) != 3 || !strings.Contains(own[0], `"{ \"z\" : \"1\" }"`) || !strings.Contains(own[2], `pick two\n\n`) {
			t.Errorf("behind what it inherits the child sends\n%s\nwant the parent's call, its result, and the task with the instruction", strings.Join(own, "\n"))
		}
	})
}

// TestResendingCutAtATurn: where the client cuts behind an answer, nothing that the parent
// read at its next turn is inherited.
func TestResendingCutAtATurn(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Noted."), text("Noted too.")}, "first": {text("Done.")}, "kid": {text("Done as well.")}})
		root := w.root("root")
		root.say(t, "note this")
		short := *root
		w.fork("first", "root").say(t, "do it")
		root.say(t, "note that") // reads that first has settled

		resending(w, "kid", &short).say(t, "do that")
		child := w.model.last(t, "kid").items
		if len(child) != 4 || !strings.Contains(child[3], "do that") {
			t.Errorf("the child sends\n%s\nwant its parent's first turn and its task", strings.Join(child, "\n"))
		}
	})
}

// TestResendingLater: whether a fork's client sends what it inherits may differ from one
// request to the next, such as that for a title and those of the conversation.
func TestResendingLater(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted.")},
			"kid":  {text("A title"), text("Done."), text("Done again."), text("And again.")},
		})
		root := w.root("root")
		root.say(t, "note this")

		title := w.fork("kid", "root")
		title.user("A title for: do it").send(t)
		kid := resending(w, "kid", root)
		kid.say(t, "do it")
		kid.say(t, "again")
		kid.items = kid.items[len(root.items):] // its own only, from now on
		kid.say(t, "once more")

		parent := w.model.last(t, "root")
		steps := w.model.received(t, "kid")[1:]
		parent.begins(t, steps[0])
		steps[0].begins(t, steps[1])
		steps[1].begins(t, steps[2])
		for i, want := range []int{1, 3, 5} {
			if own := steps[i].items[len(parent.items)+1:]; len(own) != want {
				t.Errorf("request %d holds %d items of the child's, want %d:\n%s", i, len(own), want, strings.Join(own, "\n"))
			}
		}
	})
}

// TestResendingForkOfAFork: the client of a fork keeps its own items only, so a fork of that
// one brings along those and nothing before them. They are its parent's, in its parent's
// bytes, and its task has the instruction. The same holds for a fork of that fork, whose
// client brings along what its parent's does.
func TestResendingForkOfAFork(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root":  {text("Noted.")},
			"kid":   {text("Done.")},
			"grand": {text("Well done."), text("Again."), text("And again.")},
			"great": {text("Best.")},
		})
		w.root("root").say(t, "note this")
		kid := w.fork("kid", "root")
		kid.say(t, "do it")
		own := len(kid.items)

		grand := resending(w, "grand", kid)
		grand.say(t, "do it better")
		grand.say(t, "again")
		great := resending(w, "great", grand)
		great.say(t, "do it best")
		first := w.model.received(t, "great")[0]
		grown := w.model.last(t, "grand")
		grown.begins(t, first)
		if behind := first.items[len(grown.items)+1:]; len(behind) != 1 || !strings.Contains(behind[0], `do it best\n\n`) {
			t.Errorf("behind what it inherits stands %s, want its task", behind)
		}
		grand.items = grand.items[own:] // its own only, from now on
		grand.say(t, "once more")

		parent := w.model.last(t, "kid")
		steps := w.model.received(t, "grand")
		parent.begins(t, steps[0])
		steps[0].begins(t, steps[1])
		steps[1].begins(t, steps[2])
		for i, want := range []int{1, 3, 6} { // the last with the notice that its own child has settled
			if behind := steps[i].items[len(parent.items)+1:]; len(behind) != want {
				t.Errorf("request %d holds %d items of the child's, want %d:\n%s", i, len(behind), want, strings.Join(behind, "\n"))
			}
		}
		if task := steps[0].items[len(parent.items)+1]; !strings.Contains(task, `do it better\n\n`) || strings.Count(strings.Join(steps[2].items, ""), "do it better") != 1 {
			t.Errorf("the task is %s, want it once, with the instruction", task)
		}
	})
}
