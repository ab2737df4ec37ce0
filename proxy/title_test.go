package proxy_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trunkline/prefix"
)

// titled answers requests under the instructions of a title generator with a title, others
// with a yes.
func titled(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	if strings.Contains(string(raw), "Find a title") {
		reply(200, "application/json", saidJSON("Greetings"))(w, r)
		return
	}
	reply(200, "application/json", saidJSON("yes"))(w, r)
}

// toolNames are the names of a request's tools, in order.
func (r received) toolNames(t *testing.T) []string {
	var names []string
	for _, raw := range r.head(t).Tools {
		names = append(names, prefix.ToolName(raw))
	}
	return names
}

// TestTitleOfTheSameItem: an application asks for a conversation's title first, with the very
// item that the conversation begins with. The conversation is as if it had come first.
func TestTitleOfTheSameItem(t *testing.T) {
	title := body("Find a title", "", "", prompt("hello"))
	first := body("s", tool("pick"), "", prompt("hello"))
	second := body("s", tool("pick"), "", prompt("hello"), assistant("yes"), prompt("more"))
	for name, before := range map[string][]string{
		"once":                   {title},
		"twice":                  {title, title},
		"by another model":       {strings.Replace(title, "m1", "small", 1)},
		"with a tool of its own": {body("Find a title", tool("name"), "", prompt("hello"))},
		"and once more later":    {title, first, title},
	} {
		for _, who := range [][]string{{"X-Agent-Id", "a"}, {"X-Agent-Id", "a", "X-Agent-Parent-Id", "root", "X-Agent-Mode", "spawn"}} {
			t.Run(name, func(t *testing.T) {
				e := newEdge(t, titled, withTools)
				e.post(body("s", "", "", prompt("1")), "X-Agent-Id", "root").ok(t)
				for _, b := range before {
					e.post(b, who...).ok(t)
				}
				if a := e.post(first, who...).ok(t); a.body != saidJSON("yes") {
					t.Errorf("the conversation got %s", a.body)
				}
				e.post(second, who...).ok(t)
				sent := e.sent()
				for i, want := range [][]string{{"hello"}, {"hello", "yes", "more"}} {
					got := sent[len(sent)-2+i]
					if names := got.toolNames(t); !slices.Equal(names, []string{"pick", "send_message", "interrupt_agent", "list_agents"}) {
						t.Errorf("request %d went up with the tools %v", i+1, names)
					}
					if strings.Contains(string(got.body), "itle") || strings.Contains(string(got.body), "Greetings") {
						t.Errorf("request %d holds what is the title's: %s", i+1, got.body)
					}
					if items := got.items(t); len(items) != len(want) {
						t.Errorf("request %d holds %s", i+1, items)
					}
				}
				if first, second := sent[len(sent)-2], sent[len(sent)-1]; !first.head(t).Equal(second.head(t)) {
					t.Errorf("the head changed from %s to %s", first.body, second.body)
				}
			})
		}
	}
}

// TestToolsBehindAFirstRequestWithout: the tools of an agent stand in one order, also where the
// first request, which the next one repeats with tools, has none.
func TestToolsBehindAFirstRequestWithout(t *testing.T) {
	e := newEdge(t, titled, withTools)
	for _, list := range []string{"", tool("pick")} {
		e.post(body("", list, "", prompt("hello")), "X-Agent-Id", "a").ok(t)
	}
	if names := e.sent()[1].toolNames(t); !slices.Equal(names, []string{"pick", "send_message", "interrupt_agent", "list_agents"}) {
		t.Errorf("it went up with the tools %v", names)
	}
}

// TestTitleBehindTheFirstRequest: a title that is asked for once the conversation has begun
// stands beside it, although nothing has extended that yet.
func TestTitleBehindTheFirstRequest(t *testing.T) {
	for name, title := range map[string]string{
		"of the same item": body("Find a title", "", "", prompt("hello")),
		"of another":       body("Find a title", "", "", prompt("A title for: hello")),
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, titled, withTools)
			who := []string{"X-Agent-Id", "a"}
			e.post(body("s", tool("pick"), "", prompt("hello")), who...).ok(t)
			e.post(title, who...).ok(t)
			// Only what is on record knows the answer in the provider's bytes.
			a := e.post(body("s", tool("pick"), "", prompt("hello"), `{"content":"yes","role":"assistant"}`, prompt("more")), who...).ok(t)
			sent := e.sent()
			if string(sent[1].body) != title {
				t.Errorf("the title's request went up as %s", sent[1].body)
			}
			if !sent[2].head(t).Equal(sent[0].head(t)) || !slices.Equal(sent[2].items(t), []string{prompt("hello"), assistant("yes"), prompt("more")}) {
				t.Errorf("the conversation goes on with %s", sent[2].body)
			}
			if cause := a.Header.Get("X-Prefix-Break"); cause != "none" {
				t.Errorf("its prefix is broken: %s", cause)
			}
		})
	}
}

// TestMessageReadForATitle: a message that the request for a title took along reaches the
// conversation, once.
func TestMessageReadForATitle(t *testing.T) {
	for name, c := range map[string]struct{ mode, title string }{
		"spawn, of the same item": {"spawn", body("Find a title", "", "", prompt("hello"))},
		"spawn, of another":       {"spawn", body("Find a title", "", "", prompt("A title for: hello"))},
		"fork, of the same item":  {"fork", body("Find a title", "", "", prompt("hello"))},
		"fork, of another":        {"fork", body("Find a title", "", "", prompt("A title for: hello"))},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, titled, withTools)
			e.post(body("s", "", "", prompt("1")), "X-Agent-Id", "root").ok(t)
			e.must(201, "POST", "/agents", `{"id":"kid","parent_id":"root","mode":"`+c.mode+`"}`)
			e.must(202, "POST", "/agents/kid/messages", `{"from":"root","message":"look here"}`)
			e.post(c.title, "X-Agent-Id", "kid").ok(t)
			e.post(body("other", "", "", prompt("hello")), "X-Agent-Id", "kid").ok(t)
			e.post(body("other", "", "", prompt("hello"), assistant("yes"), prompt("more")), "X-Agent-Id", "kid").ok(t)
			for i, got := range e.sent()[2:] {
				if n := strings.Count(string(got.body), "look here"); n != 1 {
					t.Errorf("request %d of the conversation holds the message %d times: %s", i+1, n, got.body)
				}
			}
		})
	}
}

// TestTitleOfAChild: nothing tells a title from the task of a child whose client sends no tools
// and a system prompt of its own. It is answered as one; the conversation begins anew behind what
// is inherited, and its end is told last.
func TestTitleOfAChild(t *testing.T) {
	e := newEdge(t, titled, withTools)
	e.post(body("s", tool("pick"), "", prompt("1")), "X-Agent-Id", "root").ok(t)
	kid := []string{"X-Agent-Id", "kid", "X-Agent-Parent-Id", "root"}
	e.post(body("Find a title", "", "", prompt("A title for: hello")), kid...).ok(t)
	e.post(body("other", "", "", prompt("hello")), kid...).ok(t)
	e.post(body("s", tool("pick"), "", prompt("1"), assistant("yes"), prompt("2")), "X-Agent-Id", "root").ok(t)
	sent := e.sent()
	root, task, last := sent[0], sent[2], string(sent[3].body)
	if items := task.items(t); !task.head(t).Equal(root.head(t)) || len(items) != 3 || strings.Contains(string(task.body), "itle") {
		t.Errorf("the child's task goes up as %s", task.body)
	}
	title, end := strings.Index(last, `Agent kid settled: completed.\nGreetings`), strings.Index(last, `Agent kid settled: completed.\nyes`)
	if title < 0 || end < title || strings.Count(last, "settled: completed") != 2 {
		t.Errorf("the parent reads %s", last)
	}
}
