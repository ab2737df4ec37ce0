package proxy_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
	"trunkline/proxy"
)

// between is the store of a process that others overtake once it has read a record.
type between struct {
	agents.Store
	id        string
	meanwhile func()
	done      atomic.Bool
}

func (s *between) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	stored, err := s.Store.Load(ctx, key)
	if err == nil && key.ID == s.id && s.done.CompareAndSwap(false, true) {
		s.meanwhile()
	}
	return stored, err
}

func (s *between) Exclusive() bool { return false }

// TestFirstRequestFailsWhileAnotherWaits: a child's first request is refused, or left by its
// client, while another one of the child has met it, such as its retry. The child goes with the
// first one; the other is served as its first, also where it does not say the parent again.
func TestFirstRequestFailsWhileAnotherWaits(t *testing.T) {
	for name, header := range map[string][]string{
		"a retry":         {"X-Agent-Id", "kid", "X-Agent-Parent-Id", "a"},
		"without parent":  {"X-Agent-Id", "kid"},
		"with its label":  {"X-Agent-Id", "kid", "X-Agent-Parent-Id", "a", "X-Agent-Label", "other"},
		"a parent's fork": {"X-Agent-Id", "kid", "X-Agent-Parent-Id", "a", "X-Agent-Mode", "fork"},
	} {
		t.Run(name, func(t *testing.T) {
			store := storetest.Memory()
			on := func(store agents.Store, holder string) func(*proxy.Config) {
				return func(c *proxy.Config) { c.Agents = agents.New(agents.Config{Store: store, Holder: holder}) }
			}
			arrived, refuse := make(chan struct{}), make(chan struct{})
			yes := reply(200, "application/json", saidJSON("yes"))
			one := newEdge(t, script(yes, func(w http.ResponseWriter, r *http.Request) {
				close(arrived)
				<-refuse
				reply(429, "application/json", `{"error":{"message":"slow"}}`)(w, r)
			}), on(shared{store}, "one"))
			one.post(ask, "X-Agent-Id", "a").ok(t)
			first := make(chan answer, 1)
			go func() { first <- one.post(ask, "X-Agent-Id", "kid", "X-Agent-Parent-Id", "a") }()
			<-arrived
			two := newEdge(t, yes, on(&between{Store: store, id: "kid", meanwhile: func() {
				close(refuse)
				if a := <-first; a.StatusCode != 429 {
					t.Errorf("the first reads %d %s", a.StatusCode, a.body)
				}
			}}, "two"))
			two.post(ask, header...).ok(t)
			if got := two.one().items(t); !slices.Contains(got, assistant("yes")) {
				t.Errorf("went up without the parent's history: %s", got)
			}
			if a := two.call("GET", "/agents/kid", ""); !strings.Contains(a.body, `"parent_id":"a"`) {
				t.Errorf("the agent is %s", a.body)
			}
		})
	}
}

// TestCreatedAgentOutlivesAFailedRequest: an agent that a program has created is there for its
// client's retry, which knows nothing of a parent.
func TestCreatedAgentOutlivesAFailedRequest(t *testing.T) {
	yes := reply(200, "application/json", saidJSON("yes"))
	e := newEdge(t, script(yes, reply(429, "application/json", `{"error":{"message":"slow"}}`), yes))
	e.post(ask, "X-Agent-Id", "a").ok(t)
	e.must(201, "POST", "/agents", `{"id":"kid","parent_id":"a","label":"of a"}`)
	if a := e.post(ask, "X-Agent-Id", "kid"); a.StatusCode != 429 {
		t.Fatalf("the first reads %d %s", a.StatusCode, a.body)
	}
	if a := e.call("GET", "/agents/kid", ""); !strings.Contains(a.body, `"parent_id":"a"`) || !strings.Contains(a.body, `"status":"ready"`) || !strings.Contains(a.body, `"label":"of a"`) {
		t.Errorf("the agent is %s", a.body)
	}
	e.post(ask, "X-Agent-Id", "kid").ok(t)
	sent := e.sent()
	if got := sent[len(sent)-1].items(t); !slices.Contains(got, assistant("yes")) {
		t.Errorf("went up without the parent's history: %s", got)
	}
	if a := e.call("GET", "/agents?root=a", ""); strings.Count(a.body, `"parent_id":"a"`) != 1 {
		t.Errorf("the tree is %s", a.body)
	}
}
