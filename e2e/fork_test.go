package e2e

import (
	"strings"
	"testing"
)

// TestForkBytes: a child's first request is the parent's head, the parent's items up to
// its last completed turn, and the task; its later requests extend that.
func TestForkBytes(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {
				calls(call("pick", `{"z": "1"}`)),
				text("One is picked."),
				calls(call("pick", `{"z": "2"}`)), // unanswered when the child forks
			},
			"kid": {
				calls(call("pick", `{"z":"3"}`)),
				text("Three is picked."),
				text("Still here."),
			},
		})
		root := w.root("root")
		root.say(t, "pick one")
		root.user("pick two").send(t)
		kid := w.fork("kid", "root")
		kid.say(t, "pick three")
		kid.say(t, "and now?")

		parent, child := w.model.appendOnly(t, "root"), w.model.appendOnly(t, "kid")
		inherited := parent[2].items[:len(parent[2].items)-1] // all but the open turn's prompt
		parent[1].begins(t, child[0])
		beginsItems(t, inherited, child[0].items)
		own := child[0].items[len(inherited):]
		if len(own) != 1 || !strings.HasPrefix(own[0], `{"role":"user","content":"pick three\n\n`) || !strings.Contains(own[0], `\"root\"`) {
			t.Errorf("behind what it inherits the child sends %s, want its task with its parent's id", own)
		}
		if len(child) != 3 {
			t.Errorf("%d requests of the child, want 3", len(child))
		}
	})
}

// TestForkOfNothing: without a completed turn only the head is inherited.
func TestForkOfNothing(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {calls(call("pick", `{}`))}, "kid": {text("Done.")}})
		root := w.root("root")
		root.user("pick one").send(t)
		w.fork("kid", "root").say(t, "pick two")

		parent, child := w.model.last(t, "root"), w.model.last(t, "kid")
		if strings.Join(child.head, "\n") != strings.Join(parent.head, "\n") {
			t.Errorf("the child's head is\n%s\nwant\n%s", child.head, parent.head)
		}
		beginsItems(t, parent.items[:1], child.items)
		if len(child.items) != 2 || !strings.Contains(child.items[1], "pick two") {
			t.Errorf("the child sends %s, want the system prompt and its task", child.items)
		}
	})
}

// TestForkOfAFork: a grandchild begins with what its parent has sent, inherited part
// included, and reports to its parent.
func TestForkOfAFork(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Noted.")}, "kid": {text("Done.")}, "grandkid": {text("Done too.")}})
		root := w.root("root")
		root.say(t, "note this")
		w.fork("kid", "root").say(t, "do it")
		w.fork("grandkid", "kid").say(t, "do that")

		parent, child := w.model.last(t, "kid"), w.model.last(t, "grandkid")
		parent.begins(t, child)
		if task := at(child.items, len(parent.items)+1); !strings.Contains(task, "do that") || !strings.Contains(task, `\"kid\"`) {
			t.Errorf("the task is %s, want it to name the parent kid", task)
		}
	})
}

// TestForkWithFewerTools: the model sees the parent's whole list; a call of what the
// child left out is answered with an error.
func TestForkWithFewerTools(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Noted.")}, "kid": {calls(call("drop", `{}`)), text("I see.")}})
		root := w.root("root")
		root.tools = strings.TrimSuffix(pick, "]") + `,{"type":"function","function":{"name":"drop"}}]`
		root.say(t, "note this")
		kid := w.fork("kid", "root")
		kid.tools = pick
		if got := kid.say(t, "do it"); got != "I see." {
			t.Errorf("the child's client reads %q", got)
		}
		parent, child := w.model.last(t, "root"), w.model.appendOnly(t, "kid")
		parent.begins(t, child[0])
		if result := at(child[1].items, len(child[0].items)+1); !strings.Contains(result, "Error: the tool drop is not available") {
			t.Errorf("the model reads %s", result)
		}
	})
}

// TestTaskOfParts: a task of several parts gets its instruction as one more part.
func TestTaskOfParts(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Noted.")}, "kid": {text("Done.")}})
		w.root("root").say(t, "note this")
		kid := w.fork("kid", "root")
		parts := `{"role":"user","content":[{"type":"text","text":"do it"}`
		kid.items = append(kid.items, parts+`]}`)
		kid.send(t)
		child := w.model.last(t, "kid")
		task := at(child.items, len(child.items)-1)
		if rest, ok := strings.CutPrefix(task, parts+`,{"type":"text","text":"`); !ok || !strings.Contains(rest, `\"root\"`) {
			t.Errorf("the task is %s", task)
		}
	})
}
