package agents_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
)

// loom weaves the store calls of several processes into one order, drawn from a seed. It
// runs in a synctest bubble: a call waits until everybody waits, then one of them is let
// through, fails before or after its effect, or ends its process; or time passes.
type loom struct {
	t     *testing.T
	rand  *rand.Rand
	store agents.Store
	calm  bool // no faults and no order: every call passes at once

	mu      sync.Mutex
	waiting []*call
	procs   []*spinner // the present life of each process
	lives   int
}

// spinner is one life of a process.
type spinner struct {
	*agents.Service
	loom *loom
	dead bool
}

type call struct {
	of    *spinner
	label string
	grant chan verdict
}

type verdict int

const (
	pass verdict = iota
	failBefore
	failAfter
)

func newLoom(t *testing.T, seed uint64, store agents.Store, processes int) *loom {
	l := &loom{t: t, rand: rand.New(rand.NewPCG(seed, 0)), store: store}
	for range processes {
		l.procs = append(l.procs, l.spin())
	}
	return l
}

func (l *loom) spin() *spinner {
	l.lives++
	p := &spinner{loom: l}
	p.Service = agents.New(agents.Config{
		Store: port{l.store, p}, Holder: fmt.Sprint("life", l.lives), Lease: lease, Residency: residency, RootTTL: rootTTL,
	})
	return p
}

const (
	lease     = 10 * time.Second
	residency = 5 * time.Minute
	rootTTL   = time.Hour
)

// process is one that lives now.
func (l *loom) process(i int) *spinner {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.procs[i%len(l.procs)]
}

// ended reports whether the process has crashed.
func (l *loom) ended(p *spinner) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.dead
}

// weave runs until done.
func (l *loom) weave(done <-chan struct{}) {
	for {
		synctest.Wait()
		select {
		case <-done:
			return
		default:
		}
		if !l.let() {
			time.Sleep([]time.Duration{time.Second, 3 * time.Second, 3 * time.Second, 12 * time.Second}[l.rand.IntN(4)])
		}
	}
}

// let decides one call's fate, or that time passes first.
func (l *loom) let() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 || l.rand.IntN(40) == 0 {
		return false
	}
	slices.SortStableFunc(l.waiting, func(a, b *call) int { return cmp.Compare(a.label, b.label) })
	i := l.rand.IntN(len(l.waiting))
	next := l.waiting[i]
	l.waiting = slices.Delete(l.waiting, i, i+1)
	verdict := pass
	switch n := l.rand.IntN(100); {
	case n < 2:
		verdict = failBefore
	case n < 4:
		verdict = failAfter
	case n < 5:
		verdict = failBefore
		if l.rand.IntN(2) == 0 {
			verdict = failAfter
		}
		l.crash(next.of)
	}
	next.grant <- verdict
	return true
}

// crash ends a process: none of its calls passes any more, and another life begins.
func (l *loom) crash(p *spinner) {
	i := slices.Index(l.procs, p)
	if i < 0 {
		return
	}
	p.dead = true
	l.procs[i] = l.spin()
	l.waiting = slices.DeleteFunc(l.waiting, func(c *call) bool {
		if c.of == p {
			c.grant <- failBefore
		}
		return c.of == p
	})
}

// port is a process's way to the store.
type port struct {
	agents.Store
	of *spinner
}

func (port) Exclusive() bool { return false }

func through[T any](ctx context.Context, p port, label string, do func() (T, error)) (answer T, err error) {
	l := p.of.loom
	l.mu.Lock()
	if l.calm {
		l.mu.Unlock()
		return do()
	}
	refused := fmt.Errorf("%w: %s", agents.ErrUnavailable, label)
	if p.of.dead {
		l.mu.Unlock()
		return answer, refused
	}
	// A renewal has no actor; of two for one agent the process tells.
	c := &call{p.of, fmt.Sprint(ctx.Value(actor{}), label, p.of.Holder), make(chan verdict, 1)}
	l.waiting = append(l.waiting, c)
	l.mu.Unlock()
	switch <-c.grant {
	case failBefore:
		return answer, refused
	case failAfter:
		if answer, err := do(); err != nil {
			return answer, err
		}
		return answer, refused
	}
	return do()
}

// actor is the context's key of who acts.
type actor struct{}

func (p port) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	return through(ctx, p, "Load "+key.ID, func() (agents.Stored, error) { return p.Store.Load(context.Background(), key) })
}

func (p port) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	return through(ctx, p, "Commit "+key.ID, func() (uint64, error) { return p.Store.Commit(context.Background(), key, change) })
}

func (p port) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	return through(ctx, p, "Blobs", func() ([][]byte, error) { return p.Store.Blobs(context.Background(), refs) })
}

func (p port) Delete(ctx context.Context, key agents.Key, version uint64) error {
	_, err := through(ctx, p, "Delete "+key.ID, func() (bool, error) { return true, p.Store.Delete(context.Background(), key, version) })
	return err
}

func (p port) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	return through(ctx, p, "Members "+root.ID, func() ([]agents.Member, error) { return p.Store.Members(context.Background(), root) })
}

func (p port) Enroll(ctx context.Context, root agents.Key, id string) error {
	_, err := through(ctx, p, "Enroll "+id, func() (bool, error) { return true, p.Store.Enroll(context.Background(), root, id) })
	return err
}

func (p port) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	_, err := through(ctx, p, "Strike "+member.ID, func() (bool, error) { return true, p.Store.Strike(context.Background(), root, member) })
	return err
}
