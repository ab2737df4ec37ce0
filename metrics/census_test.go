package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// counted runs a census of a store in a bubble of its own time and gives test its results.
func counted(t *testing.T, store agents.Store, test func(t *testing.T, m *Metrics)) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			m.Run(ctx, agents.New(agents.Config{Store: store, Holder: "test"}))
		}()
		defer func() { cancel(); <-ended }()
		synctest.Wait()
		test(t, m)
	})
}

// pass lets the census make n passes.
func pass(n int) {
	time.Sleep(time.Duration(n) * censusEvery) // of the bubble's time
	synctest.Wait()
}

// put writes an agent's record, as the root of its own tree.
func put(t *testing.T, store agents.Store, a agents.Agent) {
	t.Helper()
	ctx, key := context.Background(), agents.Key{Tenant: "t", ID: a.ID}
	if err := store.Enroll(ctx, key, a.ID); err != nil {
		t.Fatal(err)
	}
	stored, err := store.Load(ctx, key)
	if err != nil && !errors.Is(err, agents.ErrNotFound) {
		t.Fatal(err)
	}
	a.Root = a.ID
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(ctx, key, agents.Change{Version: stored.Version, Data: data}); err != nil {
		t.Fatal(err)
	}
}

func TestCensusCounts(t *testing.T) {
	store := storetest.Memory()
	until := func(d time.Duration) *agents.Lease {
		return &agents.Lease{Holder: "h", Until: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).UnixMilli()}
	}
	put(t, store, agents.Agent{ID: "a", Status: agents.Running, Inbox: []agents.Entry{{ID: "1"}, {ID: "2"}}, Lease: until(time.Hour)})
	put(t, store, agents.Agent{ID: "b", Status: agents.Idle, Inbox: []agents.Entry{{ID: "3"}}})
	put(t, store, agents.Agent{ID: "c", Status: agents.Ready})
	put(t, store, agents.Agent{ID: "d", Status: agents.Running, Lease: until(time.Second)})
	counted(t, store, func(t *testing.T, m *Metrics) { // a bubble's time begins with the year 2000
		want(t, m, Agents, map[string]float64{"running": 2, "idle": 1, "ready": 1})
		want(t, m, InboxEntries, map[string]float64{"": 3})
		want(t, m, Leases, map[string]float64{"held": 2})
		pass(1)
		want(t, m, Leases, map[string]float64{"held": 1, "lapsed": 1})
	})
}

// TestCensusFollowsHints: a change shows after one pass, long before the next round.
func TestCensusFollowsHints(t *testing.T) {
	store := storetest.Memory()
	put(t, store, agents.Agent{ID: "a", Status: agents.Running})
	counted(t, store, func(t *testing.T, m *Metrics) {
		put(t, store, agents.Agent{ID: "a", Status: agents.Idle})
		put(t, store, agents.Agent{ID: "b", Status: agents.Running})
		pass(1)
		want(t, m, Agents, map[string]float64{"running": 1, "idle": 1})

		stored, err := store.Load(t.Context(), agents.Key{Tenant: "t", ID: "b"})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Delete(t.Context(), agents.Key{Tenant: "t", ID: "b"}, stored.Version); err != nil {
			t.Fatal(err)
		}
		pass(1)
		want(t, m, Agents, map[string]float64{"idle": 1})
	})
}

// deaf loses every hint.
type deaf struct{ agents.Store }

func (deaf) Watch(ctx context.Context, _ func(agents.Key)) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestCensusNeedsNoHints: what changed, came or went unseen is found by the next round.
func TestCensusNeedsNoHints(t *testing.T) {
	store := storetest.Memory()
	put(t, store, agents.Agent{ID: "a", Status: agents.Running})
	put(t, store, agents.Agent{ID: "gone", Status: agents.Running})
	counted(t, deaf{store}, func(t *testing.T, m *Metrics) {
		want(t, m, Agents, map[string]float64{"running": 2})
		put(t, store, agents.Agent{ID: "a", Status: agents.Ready})
		put(t, store, agents.Agent{ID: "new", Status: agents.Idle})
		gone := agents.Key{Tenant: "t", ID: "gone"}
		members, err := store.Members(t.Context(), gone)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(store.Delete(t.Context(), gone, 2), store.Strike(t.Context(), gone, members[0])); err != nil {
			t.Fatal(err)
		}
		pass(int(censusRest/censusEvery) + 2)
		want(t, m, Agents, map[string]float64{"ready": 1, "idle": 1})
	})
}

// counting counts the loads.
type counting struct {
	agents.Store
	loads atomic.Int64
}

func (c *counting) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	c.loads.Add(1)
	return c.Store.Load(ctx, key)
}

// TestCensusIsBounded: a store of any size costs a pass no more than its share, a quiet
// one costs nothing until the next round, and a scrape never reads it.
func TestCensusIsBounded(t *testing.T) {
	const many = 2*censusLoads + 500
	store := &counting{Store: storetest.Memory()}
	for i := range many {
		put(t, store, agents.Agent{ID: fmt.Sprintf("a%d", i), Status: agents.Ready})
	}
	store.loads.Store(0)
	counted(t, store, func(t *testing.T, m *Metrics) {
		for n := 1; n <= 5; n++ {
			sum := min(n*censusLoads, many)
			want(t, m, Agents, map[string]float64{"ready": float64(sum)})
			if loads := store.loads.Load(); loads != int64(sum) {
				t.Fatalf("after %d passes %d records were read, want %d", n, loads, sum)
			}
			pass(1)
		}
	})
}

// TestCensusOutlivesTheStore: what cannot be read keeps its last count and is read later.
func TestCensusOutlivesTheStore(t *testing.T) {
	memory := storetest.Memory()
	put(t, memory, agents.Agent{ID: "a", Status: agents.Running})
	store := &failing{Store: memory}
	counted(t, store, func(t *testing.T, m *Metrics) {
		store.down.Store(true)
		put(t, memory, agents.Agent{ID: "a", Status: agents.Idle})
		pass(3)
		want(t, m, Agents, map[string]float64{"running": 1})
		store.down.Store(false)
		pass(1)
		want(t, m, Agents, map[string]float64{"idle": 1})
	})
}

type failing struct {
	agents.Store
	down atomic.Bool
}

func (f *failing) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	if f.down.Load() {
		return agents.Stored{}, agents.ErrUnavailable
	}
	return f.Store.Load(ctx, key)
}
