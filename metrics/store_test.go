package metrics

import (
	"context"
	"errors"
	"testing"

	"trunkline/agents"
)

// refusing fails every operation in its own way.
type refusing struct {
	agents.Store
	err error
}

func (s refusing) Load(context.Context, agents.Key) (agents.Stored, error) {
	return agents.Stored{}, s.err
}
func (s refusing) Commit(context.Context, agents.Key, agents.Change) (uint64, error) {
	return 0, s.err
}
func (s refusing) Blobs(context.Context, []agents.BlobRef) ([][]byte, error)    { return nil, s.err }
func (s refusing) Delete(context.Context, agents.Key, uint64) error             { return s.err }
func (s refusing) Enroll(context.Context, agents.Key, string) error             { return s.err }
func (s refusing) Strike(context.Context, agents.Key, agents.Member) error      { return s.err }
func (s refusing) Members(context.Context, agents.Key) ([]agents.Member, error) { return nil, s.err }
func (s refusing) Check(context.Context) error                                  { return s.err }
func (s refusing) RootsOf(context.Context, string, string, int) ([]agents.Key, string, error) {
	return nil, "", s.err
}
func (s refusing) Roots(context.Context, string, int) ([]agents.Key, string, error) {
	return nil, "", s.err
}

// TestStoreOpsAreMeasured: each call is one observation of its op, failed or not, and its
// error comes through.
func TestStoreOpsAreMeasured(t *testing.T) {
	m := New(Config{})
	broken := errors.New("broken")
	s := m.Store(refusing{err: broken})
	ctx, key := t.Context(), agents.Key{Tenant: "t", ID: "a"}
	_, load := s.Load(ctx, key)
	_, commit := s.Commit(ctx, key, agents.Change{})
	_, blobs := s.Blobs(ctx, nil)
	_, members := s.Members(ctx, key)
	_, _, roots := s.Roots(ctx, "", 1)
	for op, err := range map[string]error{
		opLoad: load, opCommit: commit, opBlobs: blobs, opMembers: members, opRoots: roots,
		opDelete: s.Delete(ctx, key, 1), opEnroll: s.Enroll(ctx, key, "a"), opStrike: s.Strike(ctx, key, agents.Member{ID: "a"}), opCheck: s.Check(ctx),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v, want %v", op, err, broken)
		}
		if n := m.series(t, StoreOpSeconds)[op]; n != 1 {
			t.Errorf("%s is observed %v times, want once", op, n)
		}
	}
}
