package proxy_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"trunkline/agents"
	"trunkline/agents/storetest"
	"trunkline/proxy"
)

// listing holds the execution of list_agents, which is what reads a tree's members here.
type listing struct {
	agents.Store
	reached, goOn chan struct{}
	once          sync.Once
}

func (l *listing) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	l.once.Do(func() {
		close(l.reached)
		<-l.goOn
	})
	return l.Store.Members(ctx, root)
}

// TestRepeatBesideOpenCalls: a request comes again while its first sending lives and has
// calls on record that are just being executed. What goes up beside has no call without a
// result, and claims no result either: it is the history up to the answer with those calls.
func TestRepeatBesideOpenCalls(t *testing.T) {
	for name, ask := range map[string]string{"whole": ask, "stream": askStream} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &listing{reached: make(chan struct{}), goOn: make(chan struct{})}
				var sent []received
				say := func(text string, calls ...string) http.HandlerFunc {
					message := `{"role":"assistant","content":"` + text + `"}`
					finish := "stop"
					if len(calls) > 0 {
						message = `{"role":"assistant","content":"` + text + `","tool_calls":[{"index":0,"id":"` + calls[0] + `","type":"function","function":{"name":"` + calls[1] + `","arguments":"{}"}}]}`
						finish = "tool_calls"
					}
					if name == "whole" {
						return reply(200, "application/json", answers(message, finish, ""))
					}
					return stream(delta(message, finish) + done)
				}
				model := script(
					say("One. ", "c1", "interrupt_agent"), say("Two. ", "c2", "list_agents"), // of the first sending
					say("Beside."),
					say("Three."), // of the first again
				)
				e, stop := newPipeEdge(t, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					sent = append(sent, received{body: body})
					model(w, r)
				}, withTools, func(c *proxy.Config) {
					store.Store = c.Agents.Store
					c.Agents = agents.New(agents.Config{Store: store, Holder: "test"})
				})
				defer stop()
				first := make(chan answer)
				go func() { first <- e.post(ask, "X-Agent-Id", "a") }()
				<-store.reached
				beside := e.post(ask, "X-Agent-Id", "a").ok(t)
				close(store.goOn)
				whole := (<-first).ok(t)

				opened, held := sent[1].items(t), sent[2].items(t)
				if !slices.Equal(held, opened) {
					t.Errorf("beside the open call went up\n%s\nwant\n%s", strings.Join(held, "\n"), strings.Join(opened, "\n"))
				}
				for _, text := range []string{"One. ", "Beside."} {
					if !strings.Contains(beside.body, text) {
						t.Errorf("the client is not told %q: %s", text, beside.body)
					}
				}
				for _, text := range []string{"One. ", "Two. ", "Three."} {
					if !strings.Contains(whole.body, text) {
						t.Errorf("the first sending is not told %q: %s", text, whole.body)
					}
				}
			})
		})
	}
}

// TestRepeatBesideAnswerThatWasCompleted: a second proxy waits for the first one's sign of
// life, and finds that it has finished: its answer calls us and the client, and stands in
// another blob, with our results, since.
func TestRepeatBesideAnswerThatWasCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := &listing{Store: storetest.Memory(), reached: make(chan struct{}), goOn: make(chan struct{})}
		on := func(store agents.Store, holder string) func(*proxy.Config) {
			return func(c *proxy.Config) { c.Agents = agents.New(agents.Config{Store: store, Holder: holder}) }
		}
		ask := body("", tool("pick"), "", prompt("hi"))
		mixed := calling("c1", "list_agents", "{}", "c2", "pick", "{}")
		one, stop := newPipeEdge(t, reply(200, "application/json", answers(mixed, "tool_calls", "")), withTools, on(held, "one"))
		defer stop()
		var sent []received
		two, stop := newPipeEdge(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = append(sent, received{body: body})
			reply(200, "application/json", saidJSON("Beside."))(w, r)
		}, withTools, on(shared{held.Store}, "two"))
		defer stop()
		first, second := make(chan answer), make(chan answer)
		go func() { first <- one.post(ask, "X-Agent-Id", "a") }()
		<-held.reached
		go func() { second <- two.post(ask, "X-Agent-Id", "a") }()
		synctest.Wait()
		close(held.goOn)
		(<-first).ok(t)
		if got := (<-second).ok(t); !strings.Contains(got.body, "Beside.") || !slices.Equal(sent[0].items(t), []string{prompt("hi")}) {
			t.Errorf("beside went up %s, and came %s", sent[0].body, got.body)
		}
	})
}

// shared is a store that another process has open as well.
type shared struct{ agents.Store }

func (shared) Exclusive() bool { return false }
