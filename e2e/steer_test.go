package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestMessageExtendsTheTurn: a message that is accepted while its target's final answer
// is under way is read in that turn, within the same response.
func TestMessageExtendsTheTurn(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		hold := make(chan struct{})
		gate := 0 // a whole answer is held before its headers
		if w.stream {
			gate = 2 // role and first piece are out
		}
		w.serve(lines{
			"root": {text("Noted."), {Text: "Nearly there. ", Piece: 4, Gates: map[int]<-chan struct{}{gate: hold}}, text("And this."), text("Later.")},
			"kid":  {calls(tell("root", "wait for me")), text("Told.")},
		})
		root := w.root("root")
		root.say(t, "note this")
		root.user("finish")
		answered := make(chan answer)
		go func() {
			response, err := root.post(t.Context())
			if err != nil {
				t.Error(err)
				close(answered)
				return
			}
			answered <- readAnswer(t, response)
		}()
		w.model.holds(t, 2)
		w.fork("kid", "root").say(t, "hurry")
		told := w.model.last(t, "kid").items
		if result := told[len(told)-1]; !strings.Contains(result, "it will read it at its next step") {
			t.Errorf("the child's model reads %s", result)
		}
		close(hold)
		a := <-answered
		if a.text != "Nearly there. And this." || a.finish != "stop" {
			t.Errorf("the client reads %q, finish %s", a.text, a.finish)
		}
		root.items = append(root.items, a.item)
		root.say(t, "and then?")

		steps := w.model.appendOnly(t, "root")
		read := steps[2].items[len(steps[1].items):]
		want := []string{
			message("assistant", "Nearly there. "),
			message("user", "Agent kid sent a message:\nwait for me"),
			message("user", "Agent kid settled: completed.\nTold."),
		}
		if !slices.Equal(read, want) {
			t.Errorf("the parent reads\n%s\nwant\n%s", strings.Join(read, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestInsertionStays: what was inserted stands at its place in every later request and
// in the forks that cover it, and in no other.
func TestInsertionStays(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root":  {text("Noted."), calls(call("pick", `{"a":"q"}`)), text("Read."), text("Later."), text("Last.")},
			"early": {calls(tell("root", "news")), text("Told."), text("More.")},
			"late":  {text("Done.")},
		})
		root := w.root("root")
		root.say(t, "note this")
		a := root.user("pick").send(t)
		early := w.fork("early", "root")
		early.say(t, "look around")
		root.results(a).send(t) // reads the message and the notice
		root.say(t, "go on")
		w.fork("late", "root").say(t, "look again")
		early.say(t, "more")
		root.say(t, "the end")

		news := message("user", "Agent early sent a message:\nnews")
		steps := w.model.appendOnly(t, "root")
		place := slices.Index(steps[2].items, news)
		if place != len(steps[1].items)+2 {
			t.Errorf("the message stands at %d, want it behind the result at %d", place, len(steps[1].items)+1)
		}
		for i, later := range steps[3:] {
			if at(later.items, place) != news {
				t.Errorf("in request %d the message is not at its place", 3+i)
			}
		}
		if late := w.model.last(t, "late"); at(late.items, place) != news {
			t.Error("a fork behind the message does not hold it")
		}
		for _, request := range w.model.appendOnly(t, "early") {
			if slices.Contains(request.items, news) {
				t.Error("a fork before the message holds it")
			}
		}
	})
}

// TestMessageBeforeThePrompt: at a turn's first step what is pending stands directly
// before the new prompt.
func TestMessageBeforeThePrompt(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Noted."), text("Read.")}, "kid": {calls(tell("root", "one"), tell("root", "two")), text("Told.")}})
		root := w.root("root")
		root.say(t, "note this")
		w.fork("kid", "root").say(t, "go")
		told := w.model.last(t, "kid").items
		for _, result := range told[len(told)-2:] {
			if !strings.Contains(result, "it waits for the agent's client") {
				t.Errorf("the child's model reads %s", result)
			}
		}
		root.say(t, "go on")
		steps := w.model.appendOnly(t, "root")
		read := steps[1].items[len(steps[0].items)+1:]
		want := []string{
			message("user", "Agent kid sent a message:\none"),
			message("user", "Agent kid sent a message:\ntwo"),
			message("user", "Agent kid settled: completed.\nTold."),
			message("user", "go on"),
		}
		if !slices.Equal(read, want) {
			t.Errorf("the parent reads\n%s\nwant\n%s", strings.Join(read, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestWake: a message for an agent between turns waits for its client, which fetches it
// with a request that brings nothing new.
func TestWake(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(tell("kid", "once more")), text("Sent.")},
			"kid":  {text("Ready."), text("Awake.")},
		})
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "be ready")
		root.say(t, "wake it")
		sent := w.model.last(t, "root").items
		if result := sent[len(sent)-1]; !strings.Contains(result, "message delivered to agent kid; it waits for the agent's client") {
			t.Errorf("the parent's model reads %s", result)
		}
		if a := kid.send(t); a.text != "Awake." {
			t.Errorf("the child answers %q", a.text)
		}
		steps := w.model.appendOnly(t, "kid")
		if got := steps[1].items[len(steps[0].items)+1:]; !slices.Equal(got, []string{message("user", "Agent root sent a message:\nonce more")}) {
			t.Errorf("the child reads %s", got)
		}
		if a := kid.try(t); a.status != 400 || a.code != "nothing_pending" {
			t.Errorf("with nothing pending a wake request is answered %d %s", a.status, a.raw)
		}
	})
}
