package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"trunkline/agents"
)

// Store returns s with the duration of each operation measured.
func (m *Metrics) Store(s agents.Store) agents.Store {
	op := func(name string) prometheus.Observer { return m.store.WithLabelValues(name) }
	return &timedStore{
		Store: s,
		load:  op(opLoad), commit: op(opCommit), blobs: op(opBlobs), delete: op(opDelete),
		enroll: op(opEnroll), strike: op(opStrike), members: op(opMembers), roots: op(opRoots), check: op(opCheck),
	}
}

type timedStore struct {
	agents.Store
	load, commit, blobs, delete, enroll, strike, members, roots, check prometheus.Observer
}

// since is deferred with the time at which the operation began.
func since(o prometheus.Observer, began time.Time) { o.Observe(time.Since(began).Seconds()) }

func (s *timedStore) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	defer since(s.load, time.Now())
	return s.Store.Load(ctx, key)
}

func (s *timedStore) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	defer since(s.commit, time.Now())
	return s.Store.Commit(ctx, key, change)
}

func (s *timedStore) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	defer since(s.blobs, time.Now())
	return s.Store.Blobs(ctx, refs)
}

func (s *timedStore) Delete(ctx context.Context, key agents.Key, version uint64) error {
	defer since(s.delete, time.Now())
	return s.Store.Delete(ctx, key, version)
}

func (s *timedStore) Enroll(ctx context.Context, root agents.Key, id string) error {
	defer since(s.enroll, time.Now())
	return s.Store.Enroll(ctx, root, id)
}

func (s *timedStore) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	defer since(s.strike, time.Now())
	return s.Store.Strike(ctx, root, member)
}

func (s *timedStore) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	defer since(s.members, time.Now())
	return s.Store.Members(ctx, root)
}

func (s *timedStore) Roots(ctx context.Context, cursor string, limit int) ([]agents.Key, string, error) {
	defer since(s.roots, time.Now())
	return s.Store.Roots(ctx, cursor, limit)
}

func (s *timedStore) RootsOf(ctx context.Context, tenant, cursor string, limit int) ([]agents.Key, string, error) {
	defer since(s.roots, time.Now())
	return s.Store.RootsOf(ctx, tenant, cursor, limit)
}

func (s *timedStore) Check(ctx context.Context) error {
	defer since(s.check, time.Now())
	return s.Store.Check(ctx)
}
