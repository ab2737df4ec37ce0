package e2e

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// TestRetryAfterACutStep: the provider breaks off behind a step that sent a message.
// The client repeats its request; what was sent stands, and is not sent again.
func TestRetryAfterACutStep(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {
				text("Noted."),
				{Text: "Telling it. ", Calls: []sim.Call{tell("kid", "once")}},
				{Text: "It is told.", Piece: 4, Break: &sim.Break{After: 2, How: sim.Reset}},
				text("It is told."),
				text("Later."),
			},
			"kid": {text("Ready."), text("Read.")},
		})
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "be ready")
		if a := root.user("tell it").try(t); a.err == nil && a.whole() {
			t.Fatalf("the cut answer looks whole:\n%s", a.raw)
		}
		if a := root.send(t); a.text != "Telling it. It is told." {
			t.Errorf("the retry is answered %q", a.text)
		}
		root.say(t, "and then?")
		kid.say(t, "anything new?")
		if n := strings.Count(strings.Join(w.model.last(t, "kid").items, "\n"), "sent a message:"); n != 1 {
			t.Errorf("the child reads %d messages, want 1", n)
		}
		steps := w.model.appendOnly(t, "root")
		if steps[3].raw != steps[2].raw {
			t.Errorf("the step is repeated as\n%s\nwant\n%s", steps[3].raw, steps[2].raw)
		}
	})
}

// TestRetryAfterACutCall: a call in an answer that breaks off is not carried out; the
// retry's is.
func TestRetryAfterACutCall(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		whole := calls(tell("kid", "the whole message"))
		cut := whole
		cut.Break = &sim.Break{After: 2, How: sim.Reset}
		w.serve(lines{"root": {text("Noted."), cut, whole, text("Told.")}, "kid": {text("Ready."), text("Read.")}})
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "be ready")
		if a := root.user("tell it").try(t); a.err == nil && a.whole() {
			t.Fatalf("the cut answer looks whole:\n%s", a.raw)
		}
		if a := root.send(t); a.text != "Told." {
			t.Errorf("the retry is answered %q", a.text)
		}
		kid.say(t, "anything new?")
		read := w.model.last(t, "kid").items
		if got := read[len(read)-2]; got != message("user", "Agent root sent a message:\nthe whole message") {
			t.Errorf("the child reads %s", got)
		}
	})
}

// TestRetryReadsTheSameMessages: a request that failed with messages in it is repeated
// with the same ones at the same place, and those that came since stay behind.
func TestRetryReadsTheSameMessages(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), {Fail: &sim.Failure{Status: 500}}, text("Read."), text("Read that too.")},
			"kid":  {calls(tell("root", "one")), text("Told."), calls(tell("root", "two")), text("Told.")},
		})
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "go")
		if a := root.user("go on").try(t); a.status != 500 || a.code != "scripted_failure" {
			t.Fatalf("the provider's failure shows as %d %s", a.status, a.raw)
		}
		kid.say(t, "again")
		root.send(t)
		root.say(t, "and then?")
		steps := w.model.received(t, "root")
		if steps[2].raw != steps[1].raw {
			beginsItems(t, steps[1].items, steps[2].items)
		}
		for i := 1; i < len(steps); i++ {
			steps[i-1].begins(t, steps[i])
		}
		all := strings.Join(steps[len(steps)-1].items, "\n")
		for _, text := range []string{`sent a message:\none"`, `sent a message:\ntwo"`} {
			if strings.Count(all, text) != 1 {
				t.Errorf("%s is read %d times, want once", text, strings.Count(all, text))
			}
		}
	})
}

// TestReplay: a complete answer that did not reach its client is given once more, and
// the provider is not asked again.
func TestReplay(t *testing.T) {
	everyStore(t, func(t *testing.T, empty func() string) {
		w := &world{t: t, store: empty()}
		// More than sockets hold: the proxy has recorded the whole answer and still
		// writes it when the client leaves.
		long := strings.Repeat("All of it. ", 5<<20/11)
		w.serve(lines{"root": {text(long)}})
		root := w.root("root").user("tell all")
		root.http.Transport = narrow()
		leaving, leave := context.WithCancel(t.Context())
		response, err := root.post(leaving)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := response.Body.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		leave()
		response.Body.Close()

		root.http.Transport = nil
		root.stream = true // how the answer travels does not matter
		a := root.send(t)
		if a.text != long {
			t.Errorf("the replay has %d bytes of text, want %d", len(a.text), len(long))
		}
		if n := len(w.model.received(t, "root")); n != 1 {
			t.Errorf("the provider was asked %d times, want once", n)
		}
	})
}

// narrow is a way to the proxy whose client takes in little that it does not read.
func narrow() http.RoundTripper {
	return &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		return conn, err
	}}
}

// TestRegenerate: after a delivered answer the same request is a wish for another one:
// the same bytes go up, and what was sent stands beside what the new answer sends.
func TestRegenerate(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(tell("kid", "one")), text("Told."), calls(tell("kid", "two")), text("Told anew.")},
			"kid":  {text("Ready."), text("Read.")},
		})
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "be ready")
		root.say(t, "tell it")
		root.items = root.items[:len(root.items)-1]
		if a := root.send(t); a.text != "Told anew." {
			t.Errorf("the regenerated answer is %q", a.text)
		}
		steps := w.model.received(t, "root")
		if steps[3].raw != steps[1].raw {
			t.Errorf("regenerated with\n%s\nwant\n%s", steps[3].raw, steps[1].raw)
		}
		kid.say(t, "anything new?")
		read := w.model.last(t, "kid").items
		want := []string{message("user", "Agent root sent a message:\none"), message("user", "Agent root sent a message:\ntwo"), message("user", "anything new?")}
		if got := read[len(read)-3:]; !slices.Equal(got, want) {
			t.Errorf("the child reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
