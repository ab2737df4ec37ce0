package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trunkline/proxy"
)

// event is one server-sent event as a client has it.
type event struct {
	id   uint64
	name string
	data map[string]any
}

// subscription is an open stream of events.
type subscription struct {
	t    *testing.T
	resp *http.Response
	read *bufio.Scanner
	last uint64 // id of the last event
}

// subscribe opens the events of an agent; last is what the client saw before, "" nothing.
func (e *edge) subscribe(t *testing.T, id, last string) *subscription {
	t.Helper()
	r := e.request("GET", "/agents/"+id+"/events", nil)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := e.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("events: %s %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	return &subscription{t: t, resp: resp, read: bufio.NewScanner(resp.Body)}
}

// next returns the next event; ok is false at a clean end.
func (s *subscription) next() (ev event, ok bool) {
	s.t.Helper()
	for s.read.Scan() {
		name, value, _ := strings.Cut(s.read.Text(), ": ")
		switch name {
		case "id":
			id, err := strconv.ParseUint(value, 10, 64)
			if err != nil || id < s.last {
				s.t.Fatalf("id %q after %d", value, s.last)
			}
			ev.id, s.last = id, id
		case "event":
			ev.name = value
		case "data":
			if err := json.Unmarshal([]byte(value), &ev.data); err != nil {
				s.t.Fatalf("%v in %s", err, value)
			}
		case "":
			if s.read.Text() == "" { // not a comment
				return ev, true
			}
		}
	}
	if err := s.read.Err(); err != nil {
		s.t.Fatal(err)
	}
	return event{}, false
}

// until reads events up to the state in which something holds, and returns those that are
// no states, as "name text".
func (s *subscription) until(what string, holds func(state map[string]any) bool) (happened []string) {
	s.t.Helper()
	for {
		ev, ok := s.next()
		switch {
		case !ok:
			s.t.Fatalf("the stream ends before %s", what)
		case ev.name == "message":
			happened = append(happened, fmt.Sprintf("%s from %s", ev.data["kind"], ev.data["from"]))
		case ev.name != "state":
			happened = append(happened, fmt.Sprintf("%s %v", ev.name, ev.data["outcome"]))
		case uint64(ev.data["version"].(float64)) != ev.id:
			s.t.Fatalf("the state of version %v has the id %d", ev.data["version"], ev.id)
		case holds(ev.data):
			return happened
		}
	}
}

func waiting(n float64) func(map[string]any) bool {
	return func(state map[string]any) bool { return state["inbox"].(map[string]any)["next_step"] == n }
}

func status(want string) func(map[string]any) bool {
	return func(state map[string]any) bool { return state["status"] == want }
}

// A stream tells the state at once, then each message and each change, and the end of an
// activation; its parent's stream tells of the notice.
func TestAPIEvents(t *testing.T) {
	e := newEdge(t, okay)
	e.turn("r")
	e.must(201, "POST", "/agents", `{"id":"c","parent_id":"r"}`)
	child, parent := e.subscribe(t, "c", ""), e.subscribe(t, "r", "")
	child.until("its first state", status("ready"))
	parent.until("its first state", status("idle"))

	e.must(202, "POST", "/agents/c/messages", `{"from":"r","message":"m"}`)
	if got := child.until("the message", waiting(1)); !slices.Equal(got, []string{"message from r"}) {
		t.Errorf("with a message: %v", got)
	}
	e.turn("c")
	if got := child.until("the end of the turn", func(state map[string]any) bool {
		return state["status"] == "ready" && state["turn"] == 1.0
	}); !slices.Equal(got, []string{"settled completed"}) {
		t.Errorf("with a turn: %v", got)
	}
	if got := parent.until("the notice", waiting(1)); !slices.Equal(got, []string{"notice from c"}) {
		t.Errorf("the parent's stream: %v", got)
	}
}

// Who comes back with the last id that it saw is told what it missed, and no more.
func TestAPIEventsResume(t *testing.T) {
	e := newEdge(t, okay)
	e.turn("r")
	e.must(201, "POST", "/agents", `{"id":"c","parent_id":"r"}`)
	send := func(text string) { e.must(202, "POST", "/agents/c/messages", `{"from":"r","message":"`+text+`"}`) }

	first := e.subscribe(t, "c", "")
	send("one")
	first.until("the message", waiting(1))
	first.resp.Body.Close()
	missed := first.last

	send("two")
	send("three")
	again := e.subscribe(t, "c", strconv.FormatUint(missed, 10))
	if got := again.until("the two messages", waiting(3)); !slices.Equal(got, []string{"message from r", "message from r"}) {
		t.Errorf("missed while nobody read: %v, want the two messages", got)
	}
	again.resp.Body.Close()

	e.turn("c") // reads all three, and settles
	last := e.subscribe(t, "c", strconv.FormatUint(missed, 10))
	if got := last.until("the settlement", status("ready")); !slices.Equal(got, []string{"message from r", "message from r", "settled completed"}) {
		t.Errorf("missed, and over by now: %v, want the two messages and the settlement", got)
	}
	last.resp.Body.Close()
	current := e.subscribe(t, "c", strconv.FormatUint(last.last, 10))
	if got := current.until("the state", status("ready")); len(got) != 0 {
		t.Errorf("with nothing missed: %v", got)
	}
	if a := e.call("GET", "/agents/c/events", "", "Last-Event-ID", "x1"); a.StatusCode != 400 {
		t.Errorf("an id that is none: %s, want 400", a.Status)
	}
}

// A quiet stream shows that it lives. It ends with its agent, or when the proxy drains.
func TestAPIEventsEnd(t *testing.T) {
	e := newEdge(t, okay, func(c *proxy.Config) { c.Heartbeat = time.Millisecond })
	e.must(201, "POST", "/agents", `{"id":"r"}`)
	e.must(201, "POST", "/agents", `{"id":"s"}`)
	gone, stays := e.subscribe(t, "r", ""), e.subscribe(t, "s", "")
	gone.until("its first state", status("ready"))
	stays.until("its first state", status("ready"))
	e.must(204, "DELETE", "/agents/r", "")
	if ev, ok := gone.next(); !ok || ev.name != "deleted" || ev.data["id"] != "r" {
		t.Errorf("after the deletion: %v", ev)
	}
	if ev, ok := gone.next(); ok {
		t.Errorf("after the end: %v", ev)
	}
	if !stays.read.Scan() || !strings.HasPrefix(stays.read.Text(), ": ") {
		t.Errorf("a quiet stream says %q, want a comment", stays.read.Text())
	}
	e.handler.Drain()
	if ev, ok := stays.next(); ok {
		t.Errorf("while the proxy drains: %v", ev)
	}
}
