package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// TestMixedCalls: calls of ours are carried out where the model made them. The client
// sees only its own, and the model afterwards reads exactly what it said, with every
// result in the order of the calls.
func TestMixedCalls(t *testing.T) {
	var rows []mixed
	for _, shape := range []string{
		"ours", "ours ours", "ours theirs", "theirs ours", "theirs ours theirs ours", "ours ours theirs theirs", "theirs theirs",
	} {
		for _, said := range []string{"", "Before. "} {
			rows = append(rows, newMixed(len(rows), shape, said))
		}
	}
	stories(t, func(t *testing.T, w *world) {
		said := lines{}
		for _, m := range rows {
			said[m.root] = []sim.Answer{text("Noted."), {Text: m.said, Calls: m.made, Piece: 5}, text("After."), text("Later.")}
			said[m.kid] = []sim.Answer{text("Ready."), text("Read.")}
		}
		w.serve(said)
		for _, m := range rows {
			t.Run(m.name, func(t *testing.T) { m.tell(t, w) })
		}
	})
}

// mixed is an answer with calls, in an agent family of its own.
type mixed struct {
	name, root, kid string
	said            string
	made            []sim.Call
	theirs          []sim.Call // of made
	sent            []string   // messages in made
}

func newMixed(row int, shape, said string) mixed {
	m := mixed{name: shape, root: fmt.Sprint("root", row), kid: fmt.Sprint("kid", row), said: said}
	if said != "" {
		m.name += " after text"
	}
	for i, whose := range strings.Fields(shape) {
		if whose == "ours" {
			m.sent = append(m.sent, fmt.Sprintf("number \"%d\"", i))
			m.made = append(m.made, tell(m.kid, m.sent[len(m.sent)-1]))
		} else {
			m.made = append(m.made, call("pick", fmt.Sprintf(`{ "z" :"%d"}`, i)))
			m.theirs = append(m.theirs, m.made[i])
		}
	}
	return m
}

func (m mixed) tell(t *testing.T, w *world) {
	root, kid := w.root(m.root), w.fork(m.kid, m.root)
	root.say(t, "note this")
	kid.say(t, "be ready")
	a := root.user("go on").send(t)
	m.checkAnswer(t, a)
	if len(m.theirs) > 0 {
		if a = root.results(a).send(t); a.text != "After." {
			t.Errorf("after the results the answer is %q", a.text)
		}
	}
	root.say(t, "and then?")
	steps := w.model.appendOnly(t, m.root)
	if len(steps) != 4 {
		t.Fatalf("%d requests, want 4", len(steps))
	}
	m.checkBatch(t, steps[2].items[len(steps[1].items):])

	kid.say(t, "anything new?")
	var want []string
	for _, sent := range m.sent {
		want = append(want, message("user", "Agent "+m.root+" sent a message:\n"+sent))
	}
	want = append(want, message("user", "anything new?"))
	steps = w.model.appendOnly(t, m.kid)
	if read := steps[1].items[len(steps[0].items)+1:]; !slices.Equal(read, want) {
		t.Errorf("the child reads\n%s\nwant\n%s", strings.Join(read, "\n"), strings.Join(want, "\n"))
	}
}

// checkAnswer checks what the client sees.
func (m mixed) checkAnswer(t *testing.T, a answer) {
	t.Helper()
	text, finish := m.said+"After.", "stop" // the next step's text follows with nothing between
	if len(m.theirs) > 0 {
		text, finish = m.said, "tool_calls"
	}
	if a.text != text || a.finish != finish || len(a.calls) != len(m.theirs) {
		t.Errorf("the client sees %q, %d calls, finish %s; want %q, %d, %s", a.text, len(a.calls), a.finish, text, len(m.theirs), finish)
		return
	}
	for i, want := range m.theirs {
		if a.calls[i].Name != want.Name || a.calls[i].Arguments != want.Arguments {
			t.Errorf("call %d is %+v, want %+v", i, a.calls[i], want)
		}
	}
	if strings.Contains(a.raw, "send_message") || strings.Contains(a.raw, `"tool_calls":[]`) {
		t.Errorf("the client sees a trace of a call that is not its own:\n%s", a.raw)
	}
}

// checkBatch checks what the model reads after its calls.
func (m mixed) checkBatch(t *testing.T, got []string) {
	t.Helper()
	if len(got) < 1+len(m.made) {
		t.Errorf("the model reads %d items, want its %d calls and their results", len(got), len(m.made))
		return
	}
	var said struct {
		Content string
		Calls   []struct{ Function sim.Call } `json:"tool_calls"`
	}
	if err := json.Unmarshal([]byte(got[0]), &said); err != nil {
		t.Fatal(err)
	}
	if said.Content != m.said || len(said.Calls) != len(m.made) {
		t.Errorf("the model reads %s as its own", got[0])
		return
	}
	for i, made := range m.made {
		if f := said.Calls[i].Function; f.Name != made.Name || f.Arguments != made.Arguments {
			t.Errorf("call %d is %+v, want %+v", i, f, made)
		}
		want := "message delivered to agent " + m.kid
		if made.Name == "pick" {
			want = "did "
		}
		if !strings.Contains(got[1+i], `"role":"tool"`) || !strings.Contains(got[1+i], want) {
			t.Errorf("result %d is %s, want %s", i, got[1+i], want)
		}
	}
}

// TestClientToolOfOurName: a client's own tool named like one of ours is the client's.
func TestClientToolOfOurName(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {calls(tell("x", "hello")), text("Sent.")}})
		root := w.root("root")
		root.tools = `[{"type":"function","function":{"name":"send_message"}}]`
		a := root.user("tell x").send(t)
		if len(a.calls) != 1 || a.calls[0].Name != "send_message" {
			t.Fatalf("the client sees %+v, want its own call", a.calls)
		}
		root.results(a).send(t)
		if names := toolNames(t, w.model.last(t, "root")); names != "send_message interrupt_agent list_agents" {
			t.Errorf("the model sees the tools %s", names)
		}
		w.model.appendOnly(t, "root")
	})
}

// TestCallsThatDoNotReach: what the model got wrong it reads as a result, and its turn
// goes on.
func TestCallsThatDoNotReach(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		made := []sim.Call{
			tell("kod", "hello"), tell("root", "hello"), call("send_message", `{"agent_id":"kid"}`),
			call("send_message", `{"agent_id":"kid","mess`), tell("grandkid", "hello"), tell("kid", strings.Repeat("x", 65<<10)),
		}
		w.serve(lines{"root": {text("Noted."), calls(made...), text("I see.")}, "kid": {text("Ready.")}, "grandkid": {text("Ready.")}})
		root := w.root("root")
		root.say(t, "note this")
		w.fork("kid", "root").say(t, "be ready")
		w.fork("grandkid", "kid").say(t, "be ready")
		if got := root.say(t, "tell them"); got != "I see." {
			t.Errorf("the turn ends with %q", got)
		}
		steps := w.model.appendOnly(t, "root")
		results := steps[2].items[len(steps[1].items)+1:]
		for i, want := range []string{
			`no agent \"kod\" in your tree (did you mean kid`,
			"an agent cannot send a message to itself",
			`\"message\" is missing`,
			"the arguments are not one JSON object",
			"agent grandkid is neither your parent nor your direct child",
			"at most 65536 are taken",
		} {
			if got := at(results, i); !strings.Contains(got, "Error: ") || !strings.Contains(got, want) || !strings.Contains(got, "; the message was not delivered.") {
				t.Errorf("result %d is %s, want %s", i, got, want)
			}
		}
	})
}
