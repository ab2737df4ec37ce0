package agents_test

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
	"trunkline/agents/redisstore"
)

var (
	seed   = flag.Uint64("weave.seed", 0, "run this one interleaving of TestWeave")
	weaves = flag.Int("weave.n", 300, "interleavings of TestWeave; fewer on the engines that are slower")
)

// TestWeave draws interleavings of two processes that serve a small tree of agents, with
// messages, interrupts, deletions, pauses, lost answers of the store and crashes, and
// holds each against the model.
func TestWeave(t *testing.T) {
	redisstore.LogTo(slog.New(slog.DiscardHandler))
	for _, engine := range []struct {
		name  string
		open  func(t *testing.T) (empty func(t *testing.T) agents.Store)
		share int // of the interleavings, as a divisor
	}{
		{"memory", inMemory, 1}, {"redis", onRedis, 10}, {"bolt", onBolt, 100},
	} {
		t.Run(engine.name, func(t *testing.T) {
			empty := engine.open(t)
			start, n := *seed, 1
			if start == 0 {
				start, n = uint64(time.Now().UnixNano()), max(1, *weaves/engine.share)
				t.Logf("seeds from %d", start)
			}
			for i := range uint64(n) {
				synctest.Test(t, func(t *testing.T) { weave(t, start+i, empty(t)) })
			}
		})
	}
}

func weave(t *testing.T, seed uint64, inner agents.Store) {
	defer func() {
		if err := inner.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if t.Failed() {
			t.Logf("with -weave.seed=%d", seed)
		}
	}()
	store := apart{inner}
	l := newLoom(t, seed, store, 2)
	book := newLedger(t)
	parents := map[string]string{"root": "", "a": "root", "b": "root", "c": "a"}
	around := map[string][]string{"root": {"a", "b"}, "a": {"root", "c"}, "b": {"root"}, "c": {"a"}}
	newWeaver := func(id string, n uint64) *weaver {
		ctx := context.WithValue(t.Context(), actor{}, id)
		return &weaver{loom: l, ledger: book, rand: rand.New(rand.NewPCG(seed, n)), ctx: ctx, id: id, parent: parents[id], around: around[id]}
	}
	weavers := map[string]*weaver{}
	for i, id := range []string{"root", "a", "b", "c"} {
		weavers[id] = newWeaver(id, uint64(i+1))
		// The tree stands before the weaving, so that every client finds its parent.
		l.calm = true
		if _, err := l.process(0).Register(t.Context(), agents.Key{Tenant: "t", ID: id}, agents.Identity{Parent: parents[id]}); err != nil {
			t.Fatal(err)
		}
	}
	l.calm = false
	var all sync.WaitGroup
	for _, id := range []string{"root", "a", "b", "c"} {
		all.Go(func() { weavers[id].life(3) })
	}
	ids := []string{"root", "a", "b", "c"}
	all.Go(func() { // somebody interrupts, and sweeps
		r := rand.New(rand.NewPCG(seed, 100))
		ctx := context.WithValue(t.Context(), actor{}, "operator")
		for range 6 {
			time.Sleep(time.Duration(r.IntN(8000)) * time.Millisecond)
			p := l.process(r.IntN(2))
			if r.IntN(3) == 0 {
				_ = p.Sweep(ctx) // faults are the point
			} else {
				_ = p.Stop(ctx, agents.Key{Tenant: "t", ID: ids[r.IntN(4)]})
			}
		}
	})
	if seed%3 == 0 { // somebody deletes what its clients register again at once, and sweeps
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, 200))
			ctx := context.WithValue(t.Context(), actor{}, "deleter")
			for range 1 + r.IntN(3) {
				time.Sleep(time.Duration(r.IntN(8000)) * time.Millisecond)
				doomed := [][]string{{"a", "c"}, {"a", "c"}, {"c"}}[r.IntN(3)]
				book.deleting(doomed)
				for l.process(r.IntN(2)).Delete(ctx, agents.Key{Tenant: "t", ID: doomed[0]}) != nil {
				}
				book.deleted(doomed)
			}
		})
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, 300))
			ctx := context.WithValue(t.Context(), actor{}, "sweeper")
			for range 12 {
				time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
				_ = l.process(r.IntN(2)).Sweep(ctx) // faults are the point
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	l.weave(done)
	l.mu.Lock()
	l.calm = true
	l.mu.Unlock()
	calm(t, l, weavers, book)
}

// calm brings everything to its end without faults, and compares.
func calm(t *testing.T, l *loom, weavers map[string]*weaver, book *ledger) {
	p := l.process(0)
	time.Sleep(2 * lease)
	for range 30 {
		if err := p.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		busy := false
		for _, id := range []string{"c", "a", "b", "root"} {
			w := weavers[id]
			a, err := p.Load(t.Context(), agents.Key{Tenant: "t", ID: id})
			if errors.Is(err, agents.ErrNotFound) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			if len(a.Inbox) == 0 && a.Status != agents.Running {
				continue
			}
			busy = true
			w.request = w.name("p")
			w.life(1)
		}
		if !busy {
			break
		}
	}
	time.Sleep(residency + time.Minute)
	for range 4 { // from the leaves up
		if err := p.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ends := map[string]agents.Snapshot{}
	for id := range weavers {
		a, err := p.Load(t.Context(), agents.Key{Tenant: "t", ID: id})
		if errors.Is(err, agents.ErrNotFound) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		ends[id] = a
		switch {
		case id != "root" && a.Status != agents.Ready || id == "root" && a.Status != agents.Idle:
			t.Errorf("agent %s ends %s", id, a.Status)
		case len(a.Children) > 0 || len(a.Outbox) > 0 || len(a.Reserved) > 0:
			t.Errorf("agent %s ends with children %v, outbox %v, reserved %v", id, a.Children, a.Outbox, a.Reserved)
		case len(a.Inbox) > 0 && id == "root":
			t.Errorf("agent %s ends with %v unread", id, a.Inbox)
		}
	}
	book.settled(ends)
	listed, err := names(t.Context(), l.store, key("root"))
	for id := range ends {
		if err != nil || !slices.Contains(listed, id) {
			t.Errorf("agent %s has no name in its tree: %v, %v", id, listed, err)
		}
	}
}
