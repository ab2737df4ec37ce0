package boltstore

import (
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"trunkline/agents"
)

// TestVersionsTellNothingOfOthers: the versions that a tenant gets do not say how often
// others have written in between; and a clock that is set back brings none again.
func TestVersionsTellNothingOfOthers(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "agents.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	commit := func(tenant string, version uint64) uint64 {
		t.Helper()
		next, err := s.Commit(t.Context(), agents.Key{Tenant: tenant, ID: "a"}, agents.Change{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	const writes = 5
	began := uint64(time.Now().UnixMicro())
	first := commit("mine", 0)
	var others uint64
	for range writes {
		others = commit("others", others)
	}
	next := commit("mine", first)
	if first < began || next-first <= writes+1 {
		t.Errorf("versions %d and %d around %d writes of others, begun at %d µs: they count", first, next, writes, began)
	}

	ahead := uint64(time.Now().Add(time.Hour).UnixMicro())
	if err := s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(recordsBucket).SetSequence(ahead) }); err != nil {
		t.Fatal(err)
	}
	if got := commit("mine", next); got != ahead+1 {
		t.Errorf("version %d with the clock an hour behind, want %d", got, ahead+1)
	}
}
