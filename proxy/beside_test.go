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
