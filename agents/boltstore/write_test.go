package boltstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"trunkline/agents"
)

// held opens a store whose writer is inside a transaction until release is called. It
// returns the id of that transaction.
func held(t *testing.T) (s *Store, transaction int, release func()) {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "agents.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	entered, leave := make(chan int), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.write(t.Context(), agents.Key{}, func(tx *bbolt.Tx) (bool, error) {
			entered <- tx.ID()
			<-leave
			return true, nil
		})
	}()
	t.Cleanup(func() {
		if err := errors.Join(<-done, s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, <-entered, func() { close(leave) }
}

// together queues all writes behind the held transaction, and returns their errors.
func together(s *Store, release func(), writes ...func() error) []error {
	errs := make([]error, len(writes))
	var wg sync.WaitGroup
	for i, write := range writes {
		wg.Go(func() { errs[i] = write() })
	}
	for len(s.writes) < len(writes) {
		runtime.Gosched()
	}
	release()
	wg.Wait()
	return errs
}

func create1(t *testing.T, s *Store, id string) func() error {
	return func() error {
		_, err := s.Commit(t.Context(), agents.Key{ID: id}, agents.Change{Data: []byte(id)})
		return err
	}
}

func TestWaitingWritesShareOneTransaction(t *testing.T) {
	s, before, release := held(t)
	var writes []func() error
	for i := range 50 {
		writes = append(writes, create1(t, s, fmt.Sprint(i)))
	}
	if err := errors.Join(together(s, release, writes...)...); err != nil {
		t.Fatal(err)
	}
	err := s.db.View(func(tx *bbolt.Tx) error {
		if tx.ID() != before+1 {
			t.Errorf("50 waiting writes took %d transactions, want 1", tx.ID()-before)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestConflictLeavesNeighboursAlone(t *testing.T) {
	s, _, release := held(t)
	errs := together(s, release,
		create1(t, s, "a"),
		func() error {
			_, err := s.Commit(t.Context(), agents.Key{ID: "b"}, agents.Change{Version: 99})
			return err
		},
		func() error { return s.Delete(t.Context(), agents.Key{ID: "none"}, 99) },
		create1(t, s, "c"),
	)
	if !errors.Is(errs[1], agents.ErrConflict) {
		t.Errorf("the stale commit = %v, want ErrConflict", errs[1])
	}
	if err := errors.Join(errs[0], errs[2], errs[3]); err != nil {
		t.Errorf("its neighbours failed: %v", err)
	}
	for _, id := range []string{"a", "c"} {
		if _, err := s.Load(t.Context(), agents.Key{ID: id}); err != nil {
			t.Errorf("Load(%q): %v", id, err)
		}
	}
}

func TestFailedTransactionIsUnavailableToAll(t *testing.T) {
	s, _, release := held(t)
	diskFull := errors.New("no space left on device")
	errs := together(s, release,
		create1(t, s, "a"),
		func() error {
			return s.write(t.Context(), agents.Key{}, func(*bbolt.Tx) (bool, error) { return false, diskFull })
		},
		create1(t, s, "c"),
	)
	for i, err := range errs {
		if !errors.Is(err, agents.ErrUnavailable) || !errors.Is(err, diskFull) {
			t.Errorf("write %d = %v, want ErrUnavailable with its cause", i, err)
		}
	}
	for _, id := range []string{"a", "c"} {
		if _, err := s.Load(t.Context(), agents.Key{ID: id}); !errors.Is(err, agents.ErrNotFound) {
			t.Errorf("Load(%q) = %v, want ErrNotFound", id, err)
		}
	}
}

func TestUnchangedNeedsNoTransaction(t *testing.T) {
	s, before, release := held(t)
	release()
	root := agents.Key{ID: "root"}
	if err := s.Enroll(t.Context(), root, "root"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := s.Strike(t.Context(), root, agents.Member{ID: "root"}); err != nil {
			t.Fatal(err)
		}
	}
	err := s.db.View(func(tx *bbolt.Tx) error {
		if tx.ID() != before+1 {
			t.Errorf("enrolling once and striking too late five times took %d transactions, want 1", tx.ID()-before)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What bbolt would refuse is refused before it can fail a shared transaction.
func TestNamesTooLong(t *testing.T) {
	s, _, release := held(t)
	release()
	long := string(make([]byte, bbolt.MaxKeySize))
	for _, key := range []agents.Key{{Tenant: long, ID: "a"}, {ID: long}} {
		if _, err := s.Commit(t.Context(), key, agents.Change{}); err == nil || errors.Is(err, agents.ErrUnavailable) {
			t.Errorf("Commit under a name that is too long = %v", err)
		}
		if err := s.Enroll(t.Context(), key, key.ID); err == nil || errors.Is(err, agents.ErrUnavailable) {
			t.Errorf("Enroll of a name that is too long = %v", err)
		}
	}
	change := agents.Change{Put: []agents.Blob{{ID: long}}}
	if _, err := s.Commit(t.Context(), agents.Key{ID: "a"}, change); err == nil || errors.Is(err, agents.ErrUnavailable) {
		t.Errorf("Commit of a blob id that is too long = %v", err)
	}
}
