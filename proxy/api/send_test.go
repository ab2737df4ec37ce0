package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trunkline/tools"
)

// A program's message is accepted once for each key, waits, and stands in the target's
// next request.
func TestAPIMessages(t *testing.T) {
	e := newEdge(t, okay)
	e.turn("r")
	e.must(201, "POST", "/agents", `{"id":"c","parent_id":"r"}`)
	const body = `{"from":"r","message":"look at \ud83d this"}`
	first := e.must(202, "POST", "/agents/c/messages", body, "Idempotency-Key", "one")
	again := e.must(202, "POST", "/agents/c/messages", body, "Idempotency-Key", "one")
	if first["message_id"] == "" || first["message_id"] != again["message_id"] {
		t.Errorf("a repeat is message %v, and was %v", again["message_id"], first["message_id"])
	}
	if want := tools.Delivered("c", tools.WaitsForClient); first["result"] != want || again["result"] != want {
		t.Errorf("results %q and %q, want %q", first["result"], again["result"], want)
	}
	other := e.must(202, "POST", "/agents/c/messages", body)
	if other["message_id"] == first["message_id"] {
		t.Errorf("without a key a send is the earlier one, %v", other["message_id"])
	}
	inbox := e.must(200, "GET", "/agents/c", "")["inbox"].(map[string]any)
	if inbox["next_step"] != 2.0 {
		t.Errorf("%v messages wait, want 2", inbox["next_step"])
	}

	e.turn("c")
	got := e.sent()
	if n := strings.Count(string(got[len(got)-1]), "Agent r sent a message:\\nlook at \ufffd this"); n != 2 {
		t.Errorf("the message stands %d times in the request, want 2\n%s", n, got[len(got)-1])
	}
	inbox = e.must(200, "GET", "/agents/c", "")["inbox"].(map[string]any)
	if inbox["next_step"] != 0.0 {
		t.Errorf("%v messages wait after the turn", inbox["next_step"])
	}
}

// A full inbox takes nothing more, and says so.
func TestAPIMessagesFillAnInbox(t *testing.T) {
	e := newEdge(t, okay)
	e.turn("r")
	e.must(201, "POST", "/agents", `{"id":"c","parent_id":"r"}`)
	for i := range 64 {
		e.must(202, "POST", "/agents/c/messages", fmt.Sprintf(`{"from":"r","message":"m%d"}`, i))
	}
	a := e.call("POST", "/agents/c/messages", `{"from":"r","message":"one more"}`)
	if code, _ := apiFailure(t, a); a.StatusCode != 429 || code != "inbox_full" {
		t.Errorf("the 65th message: %s %s, want 429 inbox_full", a.Status, a.body)
	}
}

// An interrupt of an open turn ends it; without one it changes nothing.
func TestAPIInterrupt(t *testing.T) {
	e := newEdge(t, asksFor("look"))
	e.turn("r")
	if got := e.must(200, "GET", "/agents/r", "")["status"]; got != "running" {
		t.Fatalf("the agent is %v while its client has a call to execute, want running", got)
	}
	for range 2 {
		if got := e.must(202, "POST", "/agents/r/interrupt", "{}")["result"]; got != tools.Interrupted("r") {
			t.Errorf("result %q", got)
		}
	}
	state := e.must(200, "GET", "/agents/r", "")
	if state["status"] != "idle" || state["outcome"] != "aborted" {
		t.Errorf("after an interrupt: %v %v, want idle aborted", state["status"], state["outcome"])
	}
}

// Deleting ends the descendants too, and is done when it was done before.
func TestAPIDelete(t *testing.T) {
	e := newEdge(t, okay)
	family(e)
	e.must(204, "DELETE", "/agents/a1", "")
	e.must(204, "DELETE", "/agents/a1", "")
	e.must(204, "DELETE", "/agents/never%20there", "")
	left := e.listed("", func() {})
	for _, id := range left {
		if strings.HasPrefix(id, "a1") {
			t.Errorf("%s is left of %v", id, left)
		}
	}
	if len(left) != 5 {
		t.Errorf("left: %v, want the five others", left)
	}
	if a := e.call("GET", "/agents/a11", ""); a.StatusCode != 404 {
		t.Errorf("a descendant: %s, want 404", a.Status)
	}
	var state map[string]any
	if err := json.Unmarshal([]byte(e.call("POST", "/agents", `{"id":"a1","parent_id":"a"}`).body), &state); err != nil || state["turn"] != 0.0 {
		t.Errorf("the id is not free again: %v %v", state, err)
	}
}
