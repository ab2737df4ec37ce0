package proxy_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"trunkline/agents"
	"trunkline/proxy"
)

// called is a store that gives up with its caller, as one behind a network does. It holds
// the first reading of a tree's members, which is the execution of list_agents.
type called struct {
	agents.Store
	first         atomic.Bool
	reached, goOn chan struct{}
}

func (s *called) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	if s.first.CompareAndSwap(false, true) {
		close(s.reached)
		<-s.goOn
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.Store.Members(ctx, root)
}

func (s *called) Commit(ctx context.Context, key agents.Key, c agents.Change) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return s.Store.Commit(ctx, key, c)
}

// TestCutShortWhileCallsAreExecuted: an interrupt, or a deletion, comes when the provider's
// answer is complete and its call is being executed. An interrupted turn ends as an answer,
// and a deleted agent's client is told what became of it: neither is a failure of the proxy.
func TestCutShortWhileCallsAreExecuted(t *testing.T) {
	for _, c := range []struct {
		name, ask, method, path string
		status                  int
		want                    string
	}{
		{"interrupt, whole", ask, "POST", "/agents/a/interrupt", 200, `{"role":"assistant","content":""},"finish_reason":"stop"`},
		{"interrupt, stream", askStream, "POST", "/agents/a/interrupt", 200, "data: [DONE]"},
		{"delete, whole", ask, "DELETE", "/agents/a", 404, `the agent was deleted`},
		{"delete, stream", askStream, "DELETE", "/agents/a", 200, `the agent was deleted`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				held := &called{reached: make(chan struct{}), goOn: make(chan struct{})}
				say := func(message, finish string) http.HandlerFunc {
					if c.ask == ask {
						return reply(200, "application/json", answers(message, finish, ""))
					}
					return stream(delta(message, finish) + done)
				}
				model := script(
					say(`{"role":"assistant","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}]}`, "tool_calls"),
					say(`{"role":"assistant","content":"Done."}`, "stop"),
				)
				e, stop := newPipeEdge(t, model, withTools, func(cfg *proxy.Config) {
					held.Store = cfg.Agents.Store
					cfg.Agents = agents.New(agents.Config{Store: held, Holder: "test"})
				})
				defer stop()
				first := make(chan answer)
				go func() { first <- e.post(c.ask, "X-Agent-Id", "a") }()
				<-held.reached
				r := e.request(c.method, c.path, strings.NewReader(""), "Content-Type", "application/json")
				cut := make(chan int, 1)
				go func() {
					resp, err := e.client.Do(r)
					if err != nil {
						t.Error(err)
						cut <- 0
						return
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					cut <- resp.StatusCode
				}()
				synctest.Wait() // the exchange has heard of it
				close(held.goOn)
				if status := <-cut; status/100 != 2 {
					t.Fatalf("%s %s: status %d", c.method, c.path, status)
				}
				a := <-first
				if a.StatusCode != c.status || !strings.Contains(a.body, c.want) {
					t.Errorf("the client reads %d %q", a.StatusCode, a.body)
				}
			})
		})
	}
}
