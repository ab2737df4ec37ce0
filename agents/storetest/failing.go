package storetest

import (
	"context"
	"fmt"
	"sync/atomic"

	"trunkline/agents"
)

// Fault says how a call fails. The zero value refuses one call.
type Fault struct {
	After bool // the call takes effect first: only its answer is lost
	Stays bool // every later call is refused too, as after a crash of the caller
}

// Failing passes calls on to Store and fails one of them. A test of the layers above
// fails each call of a scenario in turn, until n is greater than Calls; then it goes on
// with the inner store, as after a restart, and checks that nothing was lost.
//
// Load, Commit, Blobs, Owned, Delete, Enroll, Strike, Members, Roots and RootsOf count as
// calls. The failed ones return agents.ErrUnavailable.
type Failing struct {
	agents.Store
	n     int64
	fault Fault
	calls atomic.Int64
}

// NewFailing returns a store whose n-th call, counted from 1, fails.
func NewFailing(store agents.Store, n int, fault Fault) *Failing {
	return &Failing{Store: store, n: int64(n), fault: fault}
}

// Calls returns how many calls came so far.
func (f *Failing) Calls() int { return int(f.calls.Load()) }

// call runs do as the fault says. A call that fails tells nothing of what do returned.
func call[T any](f *Failing, name string, do func() (T, error)) (answer T, err error) {
	n := f.calls.Add(1)
	if n < f.n || n > f.n && !f.fault.Stays {
		return do()
	}
	if n == f.n && f.fault.After {
		if answer, err := do(); err != nil {
			return answer, err
		}
	}
	return answer, fmt.Errorf("%w: injected at call %d, %s", agents.ErrUnavailable, n, name)
}

type none struct{}

func (f *Failing) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	return call(f, "Load", func() (agents.Stored, error) { return f.Store.Load(ctx, key) })
}

func (f *Failing) Commit(ctx context.Context, key agents.Key, change agents.Change) (version uint64, err error) {
	return call(f, "Commit", func() (uint64, error) { return f.Store.Commit(ctx, key, change) })
}

func (f *Failing) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	return call(f, "Blobs", func() ([][]byte, error) { return f.Store.Blobs(ctx, refs) })
}

func (f *Failing) Owned(ctx context.Context, key agents.Key, prefix string) ([]string, error) {
	return call(f, "Owned", func() ([]string, error) { return f.Store.Owned(ctx, key, prefix) })
}

func (f *Failing) Delete(ctx context.Context, key agents.Key, version uint64) error {
	_, err := call(f, "Delete", func() (none, error) { return none{}, f.Store.Delete(ctx, key, version) })
	return err
}

func (f *Failing) Enroll(ctx context.Context, root agents.Key, id string) error {
	_, err := call(f, "Enroll", func() (none, error) { return none{}, f.Store.Enroll(ctx, root, id) })
	return err
}

func (f *Failing) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	_, err := call(f, "Strike", func() (none, error) { return none{}, f.Store.Strike(ctx, root, member) })
	return err
}

func (f *Failing) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	return call(f, "Members", func() ([]agents.Member, error) { return f.Store.Members(ctx, root) })
}

func (f *Failing) Roots(ctx context.Context, cursor string, limit int) ([]agents.Key, string, error) {
	return f.page("Roots", func() ([]agents.Key, string, error) { return f.Store.Roots(ctx, cursor, limit) })
}

func (f *Failing) RootsOf(ctx context.Context, tenant, cursor string, limit int) ([]agents.Key, string, error) {
	return f.page("RootsOf", func() ([]agents.Key, string, error) { return f.Store.RootsOf(ctx, tenant, cursor, limit) })
}

func (f *Failing) page(name string, do func() ([]agents.Key, string, error)) (roots []agents.Key, next string, err error) {
	roots, err = call(f, name, func() (page []agents.Key, err error) {
		page, next, err = do()
		return page, err
	})
	if err != nil {
		next = ""
	}
	return roots, next, err
}
