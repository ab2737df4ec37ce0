package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"trunkline/agents"
)

var one = agents.Key{Tenant: "local", ID: "one"}

func testCommit(s store) {
	s.absent(one)
	v1 := s.commit(one, agents.Change{Data: []byte("first")})
	if got := s.load(one); string(got.Data) != "first" || got.Version != v1 {
		s.t.Fatalf("Load = %q at %d, want %q at %d", got.Data, got.Version, "first", v1)
	}
	v2 := s.commit(one, agents.Change{Version: v1, Data: []byte("second")})
	if got := s.load(one); string(got.Data) != "second" || got.Version != v2 {
		s.t.Fatalf("Load = %q at %d, want %q at %d", got.Data, got.Version, "second", v2)
	}
}

func testConflict(s store) {
	s.refused(one, agents.Change{Version: 7, Data: []byte("x")})
	s.absent(one)

	v1 := s.commit(one, agents.Change{Data: []byte("first")})
	v2 := s.commit(one, agents.Change{Version: v1, Data: []byte("second")})
	for _, version := range []uint64{0, v1, v2 + 1} {
		s.refused(one, agents.Change{Version: version, Data: []byte("x")})
	}
	if got := s.load(one); string(got.Data) != "second" || got.Version != v2 {
		s.t.Fatalf("after refused commits: %q at %d, want %q at %d", got.Data, got.Version, "second", v2)
	}
}

func testConflictKeepsNoBlobs(s store) {
	old := agents.Blob{ID: "old", Data: []byte("old")}
	v1 := s.commit(one, agents.Change{Put: []agents.Blob{old}})
	s.refused(one, agents.Change{
		Version: v1 + 1,
		Put:     []agents.Blob{{ID: "new", Data: []byte("new")}},
		Drop:    []string{"old"},
	})
	s.holds(one, "new", nil)
	s.holds(one, "old", old.Data)
}

func testVersionsNeverReturn(s store) {
	version := s.commit(one, agents.Change{})
	for range 3 {
		s.delete(one, version)
		again := s.commit(one, agents.Change{})
		if again == version {
			s.t.Fatalf("version %d came back after a delete", version)
		}
		s.refused(one, agents.Change{Version: version})
		version = again
	}
}

func testContention(s store) { contend(s, s) }

// contend has eight writers, spread over the stores, add to one counter.
func contend(stores ...store) {
	const writers, each = 8, 20
	t := stores[0].t
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s := stores[w%len(stores)]
			for range each {
				if err := increment(t.Context(), s); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := binary.BigEndian.Uint64(stores[0].load(one).Data); got != writers*each {
		t.Fatalf("%d of %d increments were kept", got, writers*each)
	}
}

func increment(ctx context.Context, s agents.Store) error {
	for {
		var count uint64
		stored, err := s.Load(ctx, one)
		switch {
		case err == nil:
			count = binary.BigEndian.Uint64(stored.Data)
		case !errors.Is(err, agents.ErrNotFound):
			return err
		}
		_, err = s.Commit(ctx, one, agents.Change{
			Version: stored.Version,
			Data:    binary.BigEndian.AppendUint64(nil, count+1),
		})
		if !errors.Is(err, agents.ErrConflict) {
			return err
		}
	}
}

// testAtomic has each record name its only blob: whoever reads the same version before
// and after the blob must have found it.
func testAtomic(s store) {
	put := func(n int) []agents.Blob { return []agents.Blob{{ID: fmt.Sprint(n), Data: []byte("blob")}} }
	version := s.commit(one, agents.Change{Data: []byte("0"), Put: put(0)})

	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := readWhole(s.t.Context(), s); err != nil {
					s.t.Error(err)
					return
				}
			}
		})
	}
	for n := 1; n <= 50; n++ {
		version = s.commit(one, agents.Change{
			Version: version,
			Data:    fmt.Append(nil, n),
			Put:     put(n),
			Drop:    []string{fmt.Sprint(n - 1)},
		})
		s.holds(one, fmt.Sprint(n-1), nil)
	}
	close(done)
	readers.Wait()
}

func readWhole(ctx context.Context, s agents.Store) error {
	before, err := s.Load(ctx, one)
	if err != nil {
		return err
	}
	blobs, err := s.Blobs(ctx, []agents.BlobRef{{Owner: one, ID: string(before.Data)}})
	if err != nil {
		return err
	}
	after, err := s.Load(ctx, one)
	if err != nil {
		return err
	}
	if before.Version == after.Version && blobs[0] == nil {
		return fmt.Errorf("version %d was visible without its blob", before.Version)
	}
	return nil
}

func testCancelled(s store) {
	ctx, cancel := context.WithCancel(s.t.Context())
	cancel()
	if _, err := s.Commit(ctx, one, agents.Change{Put: []agents.Blob{{ID: "b", Data: []byte("b")}}}); err == nil {
		s.t.Fatal("Commit under a cancelled context succeeded")
	} else if errors.Is(err, agents.ErrConflict) {
		s.t.Fatalf("Commit under a cancelled context = %v", err)
	}
	switch _, err := s.Load(s.t.Context(), one); {
	case err == nil:
		s.holds(one, "b", []byte("b"))
	case errors.Is(err, agents.ErrNotFound):
		s.holds(one, "b", nil)
	default:
		s.t.Fatal(err)
	}
}
