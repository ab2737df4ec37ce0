package proxy_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/agents"
	"trunkline/proxy"
)

// readingStore counts which parts of histories, and heads, are read.
type readingStore struct {
	agents.Store
	parts, heads atomic.Int64
}

func (s *readingStore) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	blobs, err := s.Store.Blobs(ctx, refs)
	for i, ref := range refs {
		switch kind, _, _ := strings.Cut(ref.ID, ":"); {
		case blobs[i] == nil:
		case kind == "node":
			s.parts.Add(1)
		case kind == "head":
			s.heads.Add(1)
		}
	}
	return blobs, err
}

// reading counts what an edge reads.
func reading(into **readingStore) func(*proxy.Config) {
	return func(c *proxy.Config) {
		*into = &readingStore{Store: c.Agents.Store}
		c.Agents = agents.New(agents.Config{Store: *into, Holder: "test"})
	}
}

// TestKeptHistoriesAreBoundedInBytes has more agents with long histories than fit: those
// unused longest go from memory, and are read from the store when they come again.
func TestKeptHistoriesAreBoundedInBytes(t *testing.T) {
	const agents, size, limit = 24, 1 << 20, 8 << 20
	var store *readingStore
	provider := httptest.NewServer(reply(200, "application/json", saidJSON("yes"))) // keeps nothing
	defer provider.Close()
	e := newEdge(t, nil, reading(&store), func(c *proxy.Config) { c.Upstreams = []string{provider.URL} })
	e.handler.KeepHistories(limit)
	long := func(i int) string { return prompt(fmt.Sprint(i) + strings.Repeat("x", size)) }
	before := heap()
	for i := range agents {
		e.post(body("s", "", "", long(i)), "X-Agent-Id", fmt.Sprint("a", i)).ok(t)
	}
	if used := heap() - before; used > limit+4*size {
		t.Errorf("%d MiB in memory for %d agents, %d MiB may be kept", used>>20, agents, limit>>20)
	}
	more := func(i int) (parts, heads int64) {
		parts, heads = store.parts.Load(), store.heads.Load()
		e.post(body("s", "", "", long(i), assistant("yes"), prompt("more")), "X-Agent-Id", fmt.Sprint("a", i)).ok(t)
		return store.parts.Load() - parts, store.heads.Load() - heads
	}
	// A history is kept as it was sent: its answer is read in any case.
	if parts, heads := more(agents - 1); parts > 1 || heads > 0 {
		t.Errorf("of the latest agent %d parts and %d heads were read", parts, heads)
	}
	if parts, heads := more(0); parts != 2 || heads != 1 {
		t.Errorf("of the first agent %d parts and %d heads were read", parts, heads)
	}
}

// TestKeptForksShareTheirBytes has many forks of one long history in memory that holds little
// more than that: what they share counts once, so that all of them stay.
func TestKeptForksShareTheirBytes(t *testing.T) {
	const forks, size, limit = 24, 1 << 20, 3 << 20
	var store *readingStore
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), reading(&store))
	e.handler.KeepHistories(limit)
	e.post(body("s", "", "", prompt(strings.Repeat("x", size))), "X-Agent-Id", "root").ok(t)
	for i := range forks {
		e.post(body("", "", "", prompt("task")), "X-Agent-Id", fmt.Sprint("kid", i), "X-Agent-Parent-Id", "root").ok(t)
	}
	for i := range forks {
		parts, heads := store.parts.Load(), store.heads.Load()
		e.post(body("", "", "", prompt("task"), assistant("yes"), prompt("more")), "X-Agent-Id", fmt.Sprint("kid", i)).ok(t)
		if parts, heads = store.parts.Load()-parts, store.heads.Load()-heads; parts > 1 || heads > 0 {
			t.Errorf("of fork %d %d parts and %d heads were read", i, parts, heads)
		}
	}
}
