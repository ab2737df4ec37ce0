package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"trunkline/proxy/sim"
)

// leaveBound is far below every timeout of the proxy and far above what it needs.
const leaveBound = 5 * time.Second

// TestCase47ClientLeaves: wherever an answer stands when its client leaves, the
// provider's request ends.
func TestCase47ClientLeaves(t *testing.T) {
	never := map[int]<-chan struct{}{0: make(chan struct{})}
	middle := map[int]<-chan struct{}{2: make(chan struct{})}
	for name, tt := range map[string]struct {
		held   sim.Answer
		stream bool
		first  []sim.Answer // steps before it in the same answer
		read   int          // bytes of the answer that the client waits for; -1: not even headers
	}{
		"before the headers":     {held: sim.Answer{Gates: never}, stream: true, read: -1},
		"before the first token": {held: sim.Answer{Break: &sim.Break{After: 0, How: sim.Silence}}, stream: true},
		"in the middle":          {held: sim.Answer{Text: "some text", Piece: 4, Gates: middle}, stream: true, read: 1},
		"not streaming":          {held: sim.Answer{Gates: never}, read: -1},
		"in a continuation":      {held: sim.Answer{Gates: never}, stream: true, first: []sim.Answer{calls(call("list_agents", `{}`))}},
		"in a continuation, not streaming": {held: sim.Answer{Gates: never}, read: -1,
			first: []sim.Answer{calls(call("list_agents", `{}`))}},
	} {
		for _, id := range []string{"", "root"} {
			if id == "" && tt.first != nil {
				continue // anonymous answers have no continuation
			}
			t.Run(fmt.Sprintf("%s/%q", name, id), func(t *testing.T) {
				w := &world{t: t, stream: tt.stream, store: "file:" + t.TempDir() + "/agents.db"}
				c := w.root(id)
				w.serve(lines{c.name(): append(tt.first, tt.held, text("Here."))})
				leaving, leave := context.WithCancel(t.Context())
				left, begun := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(left)
					response, err := c.user("hello").post(leaving)
					if err != nil {
						return
					}
					if _, err := io.ReadFull(response.Body, make([]byte, max(0, tt.read))); err != nil {
						t.Error(err)
					}
					close(begun)
					drain(response)
				}()
				if tt.read >= 0 {
					<-begun
				}
				w.model.holds(t, 1+len(tt.first))
				leave()
				<-left
				w.cancelled(t)
				if a := c.send(t); a.text != "Here." { // the agent is free for the next request
					t.Errorf("afterwards the answer is %q", a.text)
				}
			})
		}
	}
}

// cancelled waits until the one request that is open has been cancelled.
func (w *world) cancelled(t *testing.T) {
	t.Helper()
	bound, stop := context.WithTimeout(t.Context(), leaveBound)
	defer stop()
	if err := w.model.Await(bound, func(s sim.Stats) bool { return s.Cancelled == 1 && s.InFlight == 0 }); err != nil {
		t.Fatalf("the provider works on for a client that has left: %+v", w.model.Stats())
	}
}

// TestCase47ClientLeavesInItsRequest: half of a body that is passed on as it comes ends
// the provider's request; half of one that is read first never becomes one.
func TestCase47ClientLeavesInItsRequest(t *testing.T) {
	for _, path := range []string{"/v1/chat/completions", "/v1/files"} {
		t.Run(path, func(t *testing.T) {
			w := &world{t: t, store: "file:" + t.TempDir() + "/agents.db"}
			w.serve(nil)
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.proxy.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			const half = 512 << 10
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", path, 2*half, strings.Repeat(" ", half))
			if path == "/v1/files" {
				if err := w.model.Await(t.Context(), func(s sim.Stats) bool { return s.InFlight == 1 }); err != nil {
					t.Fatal(err)
				}
				conn.Close()
				w.cancelled(t)
				return
			}
			conn.Close()
			w.proxy.Stop(t) // returns when no request is open any more
			if s := w.model.Stats(); s.Requests != 0 {
				t.Errorf("half a body reached the provider: %+v", s)
			}
		})
	}
}

// TestMessageOfALeaver: what was accepted before a client left stays accepted.
func TestMessageOfALeaver(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(tell("kid", "stay")), {Gates: map[int]<-chan struct{}{0: make(chan struct{})}}},
			"kid":  {text("Ready."), text("Read.")},
		})
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "be ready")
		leaving, leave := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() {
			defer close(left)
			if response, err := root.user("tell it").post(leaving); err == nil {
				drain(response)
			}
		}()
		w.model.holds(t, 4)
		leave()
		<-left
		w.cancelled(t)
		kid.say(t, "anything new?")
		read := w.model.last(t, "kid").items
		if got := read[len(read)-2]; got != message("user", "Agent root sent a message:\nstay") {
			t.Errorf("the child reads %s", got)
		}
	})
}
