package e2e

import (
	"strings"
	"testing"
)

// TestSummariserOfAFork: a request under other instructions stands beside a fork's
// conversation, as it does beside a root's: it goes up as it is, and changes nothing.
func TestSummariserOfAFork(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted.")},
			"kid":  {text("Done."), text("Done again."), text("A summary"), text("Last.")},
		})
		w.root("root").say(t, "note this")
		kid := w.fork("kid", "root")
		kid.say(t, "do it")
		kid.say(t, "again")

		summary := *kid
		summary.items = append([]string{message("system", "Summarise conversations.")}, kid.items...)
		summary.user("Now summarise.")
		body := summary.body()
		summary.send(t)
		kid.say(t, "once more")

		steps := w.model.received(t, "kid")
		if got, want := steps[2].raw, body[strings.Index(body, `"messages"`):strings.Index(body, `]`)+1]; !strings.Contains(got, want) {
			t.Errorf("the summariser's request went up as\n%s\nwant\n%s", got, want)
		}
		steps[1].begins(t, steps[3])
		if all := strings.Join(steps[3].items, "\n"); strings.Contains(all, "summar") {
			t.Errorf("the conversation goes on with\n%s", all)
		}
	})
}

// TestSummariserOfAFirstAnswer: also a first branch has been extended by a request that
// holds its answer, so other instructions stand beside it.
func TestSummariserOfAFirstAnswer(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Noted."), text("A summary"), text("Last.")}, "kid": {text("Done.")}})
		root := w.root("root")
		root.say(t, "note this")
		w.fork("kid", "root").say(t, "do it")

		summary := *root
		summary.items = append([]string{message("system", "Summarise conversations.")}, root.items[1:]...)
		summary.tools = ""
		summary.user("Now summarise.").send(t)
		root.say(t, "and then?")

		steps := w.model.received(t, "root")
		if all := strings.Join(steps[1].items, "\n"); strings.Contains(all, "settled") {
			t.Errorf("the summariser reads what is the conversation's:\n%s", all)
		}
		steps[0].begins(t, steps[2])
		if all := strings.Join(steps[2].items, "\n"); !strings.Contains(all, "Agent kid settled") || strings.Contains(all, "summar") {
			t.Errorf("the conversation goes on with\n%s", all)
		}
	})
}

// TestForkWithOtherInstructions: the system text ahead of a fork's task is the one that its
// client sends now, and what it inherits stands.
func TestForkWithOtherInstructions(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Noted.")}, "kid": {text("Done."), text("Done again."), text("Last.")}})
		w.root("root").say(t, "note this")
		kid := w.fork("kid", "root")
		kid.items = []string{message("system", "It is Monday. Work with care and tell what you find.")}
		kid.say(t, "tell") // which is in the text ahead of it, too
		kid.say(t, "again")
		kid.items[0] = message("system", "It is Sunday. Work with care and tell what you find.")
		kid.say(t, "once more")

		parent, steps := w.model.last(t, "root"), w.model.received(t, "kid")
		steps[0].begins(t, steps[1])
		parent.begins(t, steps[2])
		task := steps[2].items[len(parent.items)+1]
		if !strings.HasPrefix(task, `{"role":"user","content":"It is Sunday.`) || !strings.Contains(task, `\"root\"`) || strings.Contains(task, "Monday") {
			t.Errorf("the task is %s, want it under the new text", task)
		}
		if n := len(steps[2].items) - len(parent.items) - 1; n != 5 {
			t.Errorf("%d items of the child's, want 5", n)
		}
	})
}
