package storetest

import (
	"testing"

	"trunkline/agents"
)

// Place opens the same store again at each call: the same file, the same server. It
// may be called while an earlier store is open only where Shared is tested.
type Place func() agents.Store

// Run checks the whole interface. open returns an empty store, which Run closes.
func Run(t *testing.T, open func(t *testing.T) agents.Store) {
	for _, test := range []struct {
		name string
		run  func(store)
	}{
		{"commit creates and replaces a record", testCommit},
		{"a stale version conflicts", testConflict},
		{"a refused commit keeps no blobs", testConflictKeepsNoBlobs},
		{"a version never comes back", testVersionsNeverReturn},
		{"no increment is lost under contention", testContention},
		{"record and blobs change together", testAtomic},
		{"a cancelled commit is whole or absent", testCancelled},
		{"bytes are exact and copied", testBytes},
		{"large changes", testLarge},
		{"putting a blob again is a no-op", testPutAgain},
		{"dropping blobs", testDrop},
		{"blobs come in the order asked", testBlobsOrder},
		{"owned blobs are listed by prefix", testOwned},
		{"delete removes record and blobs", testDelete},
		{"keys are apart", testKeysApart},
		{"members of a tree", testMembers},
		{"a late strike takes no new name", testLateStrike},
		{"roots", testRoots},
		{"roots of a tenant", testRootsOf},
		{"roots page stably", testRootsPaging},
		{"a root in its tree is listed", testRootsRace},
		{"watch hints at changes", testWatch},
		{"watch ends with its context", testWatchEnds},
		{"check", testCheck},
		{"random calls agree with the model", testModel},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(opened(t, func() agents.Store { return open(t) })) })
	}
}

// Durable checks that what was acknowledged survives Close and a new open. place is
// called once for each test and names an empty store.
func Durable(t *testing.T, place func(t *testing.T) Place) {
	t.Run("everything is there after a reopen", func(t *testing.T) { testReopen(t, place(t)) })
}

// Shared checks two open stores on one place, as two processes have them.
func Shared(t *testing.T, place func(t *testing.T) Place) {
	for _, test := range []struct {
		name string
		run  func(a, b store)
	}{
		{"a commit is seen at once", testSharedLoad},
		{"no increment is lost between two", testSharedContention},
		{"hints reach the other", testSharedWatch},
	} {
		t.Run(test.name, func(t *testing.T) {
			open := place(t)
			test.run(opened(t, open), opened(t, open))
		})
	}
}
