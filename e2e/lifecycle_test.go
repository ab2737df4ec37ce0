package e2e

import (
	"bufio"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestDrain: SIGTERM lets an open stream end, and then the program exits with 0.
func TestDrain(t *testing.T) {
	for _, id := range []string{"", "root"} {
		t.Run(id, func(t *testing.T) {
			w := &world{t: t, stream: true, store: "file:" + t.TempDir() + "/agents.db"}
			hold := make(chan struct{})
			c := w.root(id)
			w.serve(lines{c.name(): {{Text: "the whole answer", Piece: 8, Gates: map[int]<-chan struct{}{2: hold}}, text("Later.")}})
			response, err := c.user("hello").post(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			begun := bufio.NewReader(response.Body)
			if _, err := begun.Peek(1); err != nil {
				t.Fatal(err)
			}
			stopped := make(chan struct{})
			go func() { defer close(stopped); w.proxy.Stop(t) }() // demands exit code 0
			w.refuses(t)
			close(hold)
			response.Body = struct {
				io.Reader
				io.Closer
			}{begun, response.Body}
			if a := readAnswer(t, response); !a.whole() || a.text != "the whole answer" {
				t.Errorf("the open stream ends as %q: %s", a.text, a.raw)
			}
			<-stopped
		})
	}
}

// refuses waits until the proxy accepts no connections any more.
func (w *world) refuses(t *testing.T) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		response, err := client.Get(w.proxy.URL + "/healthz")
		if err != nil {
			return
		}
		response.Body.Close()
		if t.Context().Err() != nil {
			t.Fatal("the proxy goes on accepting")
		}
	}
}

// TestRestart: the program is killed between any two requests, and nothing is lost: the
// agents, what stands in their prompts, what waits for them.
func TestRestart(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(call("pick", `{"a":"q"}`), tell("kid", "down")), text("Read."), text("Later.")},
			"kid":  {calls(call("pick", `{}`)), calls(tell("root", "up")), text("Told."), text("Read too.")},
		})
		again := func() { w.proxy.Kill(); w.start() }
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		again()
		a := root.user("pick").send(t)
		again()
		b := kid.user("go").send(t)
		again()
		kid.results(b).send(t)
		again()
		root.results(a).send(t)
		again()
		kid.say(t, "anything new?")
		again()
		root.say(t, "and then?")

		parent, child := w.model.appendOnly(t, "root"), w.model.appendOnly(t, "kid")
		parent[0].begins(t, child[0])
		want := []string{
			message("user", "Agent kid sent a message:\nup"),
			message("user", "Agent kid settled: completed.\nTold."),
		}
		if got := parent[2].items[len(parent[1].items)+3:]; !slices.Equal(got, want) {
			t.Errorf("the parent reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		read := child[len(child)-1].items
		if n := slices.Index(read, message("user", "Agent root sent a message:\ndown")); n < 0 {
			// refused, since the child did not exist yet when it was sent
			if result := parent[2].items[len(parent[1].items)+2]; !strings.Contains(result, "no agent") {
				t.Errorf("the message down is lost: %s", result)
			}
		}
	})
}

// TestKilledInAnAnswer: the program is killed while an answer with an executed message
// goes on. The client repeats its request, and the message was sent once.
func TestKilledInAnAnswer(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(tell("kid", "once")), {Gates: map[int]<-chan struct{}{0: make(chan struct{})}}, text("Told.")},
			"kid":  {text("Ready."), text("Read.")},
		}, "--lease=1s")
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "note this")
		kid.say(t, "be ready")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if response, err := root.user("tell it").post(t.Context()); err == nil {
				drain(response)
			}
		}()
		w.model.holds(t, 4)
		w.proxy.Kill()
		<-ended
		w.start("--lease=1s")
		if a := root.send(t); a.text != "Told." {
			t.Errorf("the retry is answered %q", a.text)
		}
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
