package proxy_test

import (
	"strings"
	"testing"
)

// TestHandOverIsKnownByWhatItMeans: other instructions with the same tools may be an auxiliary
// request's. The next one that goes on from it shows that they are not, also where the client
// writes its history anew, or moves its cache marker on.
func TestHandOverIsKnownByWhatItMeans(t *testing.T) {
	marked := func(text string) string {
		return `{"role":"user","content":[{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral"}}]}`
	}
	for name, first := range map[string]string{
		"the same bytes":  prompt("2"),
		"a marker":        marked("2"),
		"members' order":  `{"content":"2","role":"user"}`,
		"one part":        `{"role":"user","content":[{"type":"text","text":"2"}]}`,
		"escapes, blanks": `{"role": "user", "content": "\u0032"}`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")), withTools)
			root := []string{"X-Agent-Id", "root"}
			e.post(body("Plan.", tool("pick"), "", prompt("1")), root...).ok(t)
			e.post(body("Plan.", tool("pick"), "", prompt("1"), assistant("yes"), prompt("2")), root...).ok(t)
			e.post(body("Now write the code.", tool("pick"), "", prompt("1"), assistant("yes"), first), root...).ok(t)
			e.post(body("Now write the code.", tool("pick"), "", prompt("1"), assistant("yes"), prompt("2"), assistant("yes"), marked("3")), root...).ok(t)
			sent := e.sent()
			if names := strings.Join(sent[2].toolNames(t), " "); names != "pick" {
				t.Errorf("the first request under other instructions went up with %s", names)
			}
			if names := strings.Join(sent[3].toolNames(t), " "); names != "pick send_message interrupt_agent list_agents" {
				t.Errorf("the one that goes on from it went up with %s", names)
			}
		})
	}
}

// TestCase07ForkWhileItRuns: a clock in the parent's own prompt, which its child has as well,
// ticks between two of the child's requests. That is the same conversation.
func TestCase07ForkWhileItRuns(t *testing.T) {
	rest := strings.Repeat(" The rest.", 200)
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), withTools)
	e.post(body("It is 10:01."+rest, tool("pick"), "", prompt("1")), "X-Agent-Id", "root").ok(t)
	kid := []string{"X-Agent-Id", "kid", "X-Agent-Parent-Id", "root"}
	e.post(body("It is 10:01."+rest, tool("pick"), "", prompt("task")), kid...).ok(t)
	e.post(body("It is 10:02."+rest, tool("pick"), "", prompt("task"), assistant("yes"), prompt("more")), kid...).ok(t)
	parent, child := e.sent()[0], e.sent()[2]
	if !child.head(t).Equal(parent.head(t)) {
		t.Errorf("the child's head is not its parent's: %.300s", child.body)
	}
	if items := child.items(t); len(items) != 5 || items[0] != prompt("1") || !strings.HasPrefix(items[2], `{"role":"user","content":"It is 10:02.`) {
		t.Errorf("the child sends %d items: %.300s", len(items), strings.Join(items, ","))
	}
}
