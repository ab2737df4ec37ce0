package api_test

import (
	"maps"
	"slices"
	"testing"
)

// Creating is idempotent, and what is left out is the default, not whatever there is.
func TestAPICreate(t *testing.T) {
	e := newEdge(t, okay)
	e.must(201, "POST", "/agents", `{"id":"r","label":"the root"}`)
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{"id":"r","label":"the root"}`, 200},
		{`{"label":"the root","id":"r","parent_id":null,"kind":"continuable","driver":"client","notify":"settled"}`, 200},
		{`{"id":"r"}`, 409},
		{`{"id":"r","label":"another"}`, 409},
		{`{"id":"r","label":"the root","kind":"one-shot"}`, 409},
		{`{"id":"c","parent_id":"r","tools":{"deny":["list_agents","send_message"]}}`, 201},
		{`{"id":"c","parent_id":"r","tools":{"deny":["send_message","list_agents"]},"mode":"fork"}`, 200},
		{`{"id":"c","parent_id":"r"}`, 409},
		{`{"id":"c","parent_id":"r","mode":"spawn","tools":{"deny":["list_agents","send_message"]}}`, 409},
		{`{"id":"c","tools":{"deny":["list_agents","send_message"]}}`, 409},
		{`{"id":"o","parent_id":"r","kind":"one-shot"}`, 201},
		{`{"id":"o","parent_id":"r","kind":"one-shot"}`, 200},
	} {
		a := e.call("POST", "/agents", c.body)
		if a.StatusCode != c.status {
			t.Errorf("%s: %s %s, want %d", c.body, a.Status, a.body, c.status)
		}
		if c.status != 409 {
			continue
		}
		if code, _ := apiFailure(t, a); code != "agent_exists" {
			t.Errorf("%s: the code is %s", c.body, code)
		}
	}
	if got := e.must(200, "GET", "/agents/o", "")["notify"]; got != "none" {
		t.Errorf("a one-shot child notifies %v, want none", got)
	}
}

// Without an id each call makes an agent with an id of its own, which is where the
// Location says.
func TestAPICreateDrawsIDs(t *testing.T) {
	e := newEdge(t, okay)
	seen := map[any]bool{}
	for range 3 {
		a := e.call("POST", "/agents", `{}`)
		state := e.must(200, "GET", a.Header.Get("Location"), "")
		if a.StatusCode != 201 || seen[state["id"]] {
			t.Fatalf("%s %s after %v", a.Status, a.body, seen)
		}
		seen[state["id"]] = true
	}
}

// A new agent's state has every member, and a request of its client moves it on.
func TestAPIState(t *testing.T) {
	e := newEdge(t, okay)
	fresh := e.must(201, "POST", "/agents", `{"id":"r"}`)
	for name, want := range map[string]any{
		"id": "r", "parent_id": nil, "root_id": "r", "mode": "root", "kind": "continuable", "driver": "client", "label": "",
		"status": "ready", "epoch": 0.0, "turn": 0.0, "version": 0.0, "outcome": nil, "closing_message": nil, "reuse": nil,
	} {
		if got, ok := fresh[name]; !ok || got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if inbox := fresh["inbox"].(map[string]any); !maps.Equal(inbox, map[string]any{"next_step": 0.0, "next_turn": 0.0}) {
		t.Errorf("inbox = %v", inbox)
	}
	e.turn("r")
	after := e.must(200, "GET", "/agents/r", "")
	for name, want := range map[string]any{
		"status": "idle", "epoch": 1.0, "turn": 1.0, "outcome": "completed", "closing_message": "fine", "created_at": fresh["created_at"],
	} {
		if got := after[name]; got != want {
			t.Errorf("%s = %v after a turn, want %v", name, got, want)
		}
	}
	if have, had := slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(fresh)); !slices.Equal(have, had) {
		t.Errorf("the members are %v after a turn, and were %v", have, had)
	}
}
