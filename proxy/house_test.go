package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/proxy"
)

const twoTenants = `
keys:
  - {key: mine, tenant: b, scopes: [model, agents]}
  - {key: theirs, tenant: a, scopes: [model, agents]}
`

// house is a proxy that two tenants use.
type house struct {
	*edge
	store *library
	held  chan struct{} // told of each request that the provider holds
}

func newHouse(t *testing.T, change ...func(*proxy.Config)) *house {
	h := &house{store: &library{}, held: make(chan struct{}, 1)}
	h.edge = newEdge(t, h.obey, append(h.settings(t), change...)...)
	return h
}

// newTimedHouse is newHouse in a bubble of testing/synctest, which stop ends.
func newTimedHouse(t *testing.T, change ...func(*proxy.Config)) (h *house, stop func()) {
	h = &house{store: &library{}, held: make(chan struct{}, 1)}
	h.edge, stop = newPipeEdge(t, h.obey, append(h.settings(t), change...)...)
	return h, sync.OnceFunc(stop)
}

func (h *house) settings(t *testing.T) []func(*proxy.Config) {
	return []func(*proxy.Config){withTools, withKeys(t, twoTenants), func(c *proxy.Config) {
		h.store.Store = c.Agents.Store
		c.Agents = agents.New(agents.Config{Store: h.store, Holder: "test", Lease: time.Hour})
	}}
}

// obey is a model that does what the first line of its prompt says: "call NAME ARGUMENTS", or
// "hold", which is not answered.
func (h *house) obey(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		h.t.Error(err)
	}
	const usage = `,"usage":{"prompt_tokens":30,"completion_tokens":1,"total_tokens":31,"prompt_tokens_details":{"cached_tokens":0}}`
	item, finish := assistant("fine"), "stop"
	if last := asked.Messages[len(asked.Messages)-1]; last.Role == "user" {
		order, _, _ := strings.Cut(last.Content, "\n")
		switch words := strings.SplitN(order, " ", 3); words[0] {
		case "hold":
			h.held <- struct{}{}
			<-r.Context().Done()
			return
		case "call":
			item, finish = calling("c1", words[1], words[2]), "tool_calls"
		}
	}
	reply(200, "application/json", answers(item, finish, usage))(w, r)
}

// resident is the client of one agent. It begins its conversation anew with each request.
type resident struct {
	*house
	headers []string
}

func (h *house) as(key, id string, parent ...string) resident {
	headers := []string{"Authorization", "Bearer " + key, "X-Agent-Id", id}
	for _, p := range parent {
		headers = append(headers, "X-Agent-Parent-Id", p)
	}
	return resident{h, headers}
}

func (r resident) request(text string) *http.Request {
	raw := strings.NewReader(body("s", tool("pick"), "", `{"role":"user","content":`+string(prefix.Quote(text))+`}`))
	return r.edge.request("POST", chat, raw, r.headers...)
}

// post returns the answer when all is over that the request has led to.
func (r resident) post(text string) answer {
	a := r.send(r.request(text))
	<-r.ended
	return a
}

func (r resident) asks(text string) {
	r.t.Helper()
	r.post(text).ok(r.t)
}

// library is a store that notes what is asked of it.
type library struct {
	agents.Store
	mu    sync.Mutex
	calls []string
}

// take returns the calls since it was last asked. While an agent is served, its record is
// also watched, and how often that reads it is a matter of luck.
func (l *library) take(served string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := slices.DeleteFunc(l.calls, func(c string) bool { return c == fmt.Sprint("Load", []any{agents.Key{Tenant: "b", ID: served}}) })
	l.calls = nil
	return calls
}

func (l *library) note(call string, of ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, ofTheTime.ReplaceAllString(fmt.Sprint(call, of), "TIME"))
}

func (l *library) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	l.note("Load", key)
	return l.Store.Load(ctx, key)
}

func (l *library) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	l.note("Commit", key)
	return l.Store.Commit(ctx, key, change)
}

func (l *library) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	l.note("Blobs", refs)
	return l.Store.Blobs(ctx, refs)
}

func (l *library) Owned(ctx context.Context, key agents.Key, prefix string) ([]string, error) {
	l.note("Owned", key, prefix)
	return l.Store.Owned(ctx, key, prefix)
}

func (l *library) Delete(ctx context.Context, key agents.Key, version uint64) error {
	l.note("Delete", key)
	return l.Store.Delete(ctx, key, version)
}

func (l *library) Enroll(ctx context.Context, root agents.Key, id string) error {
	l.note("Enroll", root, id)
	return l.Store.Enroll(ctx, root, id)
}

func (l *library) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	l.note("Strike", root, member.ID)
	return l.Store.Strike(ctx, root, member)
}

func (l *library) Roots(ctx context.Context, cursor string, limit int) ([]agents.Key, string, error) {
	l.note("Roots", cursor, limit)
	return l.Store.Roots(ctx, cursor, limit)
}

func (l *library) RootsOf(ctx context.Context, tenant, cursor string, limit int) ([]agents.Key, string, error) {
	l.note("RootsOf", tenant, cursor, limit)
	return l.Store.RootsOf(ctx, tenant, cursor, limit)
}

func (l *library) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	l.note("Members", root)
	return l.Store.Members(ctx, root)
}
