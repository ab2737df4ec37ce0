package api_test

import (
	"fmt"
	"testing"
)

// A wait wakes on whatever changes an agent that somebody waits for: a message to it, a
// turn of it, an interrupt.
func TestAPIWait(t *testing.T) {
	for _, c := range []struct {
		name string
		act  func(e *edge)
	}{
		{"message", func(e *edge) { e.must(202, "POST", "/agents/c/messages", `{"from":"r","message":"m"}`) }},
		{"turn", func(e *edge) { e.turn("c") }},
		{"interrupt", func(e *edge) { e.must(202, "POST", "/agents/c/interrupt", "{}") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEdge(t, asksFor("look"))
			e.turn("r")
			e.must(201, "POST", "/agents", `{"id":"c","parent_id":"r"}`)
			if c.name == "interrupt" {
				e.turn("c")
			}
			version := e.must(200, "GET", "/agents/c", "")["version"].(float64)
			path := fmt.Sprintf("/agents/c/wait?after=%.0f&timeout=1m", version)
			woken := make(chan answer, 1)
			go func() { woken <- e.send(e.request("GET", path, nil)) }()
			c.act(e)
			a := <-woken
			if a.err != nil || a.StatusCode != 200 {
				t.Fatalf("the wait: %v %s", a.err, a.body)
			}
			state := e.must(200, "GET", path, "")
			if state["version"].(float64) <= version {
				t.Errorf("the version is %v, and was %v", state["version"], version)
			}
		})
	}
}

// A wait for what does not come ends in nothing, at its timeout or when the proxy drains.
func TestAPIWaitEnds(t *testing.T) {
	e := newEdge(t, okay)
	e.must(201, "POST", "/agents", `{"id":"r"}`)
	e.must(204, "GET", "/agents/r/wait?after=0&timeout=0s", "")
	e.must(201, "POST", "/agents", `{"id":"busy"}`)
	e.turn("busy")

	waiting := make(chan answer, 1)
	go func() { waiting <- e.send(e.request("GET", "/agents/r/wait?after=0&timeout=4m", nil)) }()
	e.handler.Drain()
	if a := <-waiting; a.err != nil || a.StatusCode != 204 {
		t.Errorf("a wait while the proxy drains: %v %v", a.err, a.Response)
	}
	// What has happened already is told, whatever the patience.
	e.must(200, "GET", "/agents/busy/wait?after=0&timeout=0s", "")
}

// A wait for an agent that is deleted meanwhile ends with it.
func TestAPIWaitForTheDeleted(t *testing.T) {
	e := newEdge(t, okay)
	e.must(201, "POST", "/agents", `{"id":"r"}`)
	waiting := make(chan answer, 1)
	go func() { waiting <- e.send(e.request("GET", "/agents/r/wait?timeout=4m", nil)) }()
	e.must(204, "DELETE", "/agents/r", "")
	if a := <-waiting; a.err != nil || a.StatusCode != 404 {
		t.Errorf("a wait for the deleted: %v %v", a.err, a.Response)
	}
}

// The version stands still while nothing changes that a state shows: a program that reads
// and waits in turn is not woken for nothing.
func TestAPIVersionStandsStill(t *testing.T) {
	e := newEdge(t, okay)
	e.turn("r")
	before := e.call("GET", "/agents/r", "").body
	e.must(200, "GET", "/agents/r/transcript", "")
	e.must(200, "GET", "/agents?root=r", "")
	e.must(202, "POST", "/agents/r/interrupt", "{}")
	e.must(204, "GET", "/agents/r/wait?after=1000&timeout=1ms", "")
	if after := e.call("GET", "/agents/r", "").body; after != before {
		t.Errorf("the state is\n%s\nand was\n%s", after, before)
	}
}
