package proxy_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestMessageMovesIntoTheLastItem: a client that asks anew for an answer which a message had
// extended takes the message along. Where roles have to alternate it moves into the item that
// the request ends with, beside what that one bears already.
func TestMessageMovesIntoTheLastItem(t *testing.T) {
	post := func(e **edge, message string) {
		r := (*e).request("POST", "/agents/root/messages", strings.NewReader(`{"from":"kid","message":"`+message+`"}`), "Content-Type", "application/json")
		if a := (*e).send(r); a.err != nil || a.StatusCode != http.StatusAccepted {
			t.Errorf("not accepted: %v %s", a.err, a.body)
		}
	}
	var e *edge
	asked := 0
	e = newEdge(t, func(w http.ResponseWriter, r *http.Request) {
		said := saidJSON("yes")
		switch asked++; asked {
		case 2: // the child goes on with its turn
			said = answers(calling("c1", "pick", "{}"), "tool_calls", "")
		case 3: // while the first answer to the second prompt is given
			post(&e, "late")
		}
		reply(200, "application/json", said)(w, r)
	}, profile(t, "vllm-alternating"))
	root := []string{"X-Agent-Id", "root"}
	kid := []string{"X-Agent-Id", "kid", "X-Agent-Parent-Id", "root", "X-Agent-Notify", "none"}
	e.post(body("s", tool("pick"), "", prompt("one")), root...).ok(t)
	e.post(body("", "", "", prompt("task")), kid...).ok(t)
	post(&e, "early")
	again := body("s", tool("pick"), "", prompt("one"), assistant("yes"), prompt("two"))
	e.post(again, root...).ok(t)
	e.post(again, root...).ok(t)

	sent := e.sent()
	if n := len(sent[3].items(t)); n != 5 {
		t.Fatalf("the message did not extend the answer: %s", sent[3].body)
	}
	items := sent[4].items(t)
	want := `{"role":"user","content":"Agent kid sent a message:\nearly\n\ntwo\n\nAgent kid sent a message:\nlate"}`
	if len(items) != 3 || items[2] != want {
		t.Errorf("asked anew with %s, want it to end in %s", items, want)
	}
	e.post(body("s", tool("pick"), "", prompt("one"), assistant("yes"), prompt("two"), assistant("yes"), prompt("three")), root...).ok(t)
	if next := e.sent()[5].items(t); next[2] != want {
		t.Errorf("then sent %s, want it to go on behind %s", next, want)
	}
}
