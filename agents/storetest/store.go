package storetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"trunkline/agents"
)

// store is an open store with its test: its methods fail the test on any error.
type store struct {
	agents.Store
	t *testing.T
}

// opened opens a store that the end of the test closes.
func opened(t *testing.T, open func() agents.Store) store {
	t.Helper()
	s := open()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return store{s, t}
}

func (s store) commit(key agents.Key, change agents.Change) uint64 {
	s.t.Helper()
	version, err := s.Commit(s.t.Context(), key, change)
	if err != nil {
		s.t.Fatalf("Commit(%v): %v", key, err)
	}
	if version <= change.Version {
		s.t.Fatalf("Commit(%v) = version %d, which is not greater than %d", key, version, change.Version)
	}
	return version
}

func (s store) refused(key agents.Key, change agents.Change) {
	s.t.Helper()
	if version, err := s.Commit(s.t.Context(), key, change); !errors.Is(err, agents.ErrConflict) {
		s.t.Fatalf("Commit(%v, version %d) = %d, %v; want ErrConflict", key, change.Version, version, err)
	}
}

func (s store) load(key agents.Key) agents.Stored {
	s.t.Helper()
	stored, err := s.Load(s.t.Context(), key)
	if err != nil {
		s.t.Fatalf("Load(%v): %v", key, err)
	}
	return stored
}

func (s store) absent(key agents.Key) {
	s.t.Helper()
	if stored, err := s.Load(s.t.Context(), key); !errors.Is(err, agents.ErrNotFound) {
		s.t.Fatalf("Load(%v) = %q, %v; want ErrNotFound", key, stored.Data, err)
	}
}

func (s store) delete(key agents.Key, version uint64) {
	s.t.Helper()
	if err := s.Delete(s.t.Context(), key, version); err != nil {
		s.t.Fatalf("Delete(%v, %d): %v", key, version, err)
	}
}

func (s store) blobs(refs ...agents.BlobRef) [][]byte {
	s.t.Helper()
	blobs, err := s.Blobs(s.t.Context(), refs)
	if err != nil {
		s.t.Fatalf("Blobs: %v", err)
	}
	if len(blobs) != len(refs) {
		s.t.Fatalf("Blobs returned %d of %d", len(blobs), len(refs))
	}
	return blobs
}

// holds checks one blob; nil wants it missing.
func (s store) holds(owner agents.Key, id string, want []byte) {
	s.t.Helper()
	got := s.blobs(agents.BlobRef{Owner: owner, ID: id})[0]
	if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
		s.t.Fatalf("blob %q of %v = %.80q (nil: %t); want %.80q", id, owner, got, got == nil, want)
	}
}

func (s store) enroll(root agents.Key, ids ...string) {
	s.t.Helper()
	for _, id := range ids {
		if err := s.Enroll(s.t.Context(), root, id); err != nil {
			s.t.Fatalf("Enroll(%v, %q): %v", root, id, err)
		}
	}
}

func (s store) strike(root agents.Key, ids ...string) {
	s.t.Helper()
	for _, id := range ids {
		if err := s.Strike(s.t.Context(), root, s.member(root, id)); err != nil {
			s.t.Fatalf("Strike(%v, %q): %v", root, id, err)
		}
	}
}

// member is the id as the tree lists it now; one that is not there has no mark.
func (s store) member(root agents.Key, id string) agents.Member {
	s.t.Helper()
	member, err := listed(s.t.Context(), s, root, id)
	if err != nil {
		s.t.Fatalf("Members(%v): %v", root, err)
	}
	return member
}

func listed(ctx context.Context, s agents.Store, root agents.Key, id string) (agents.Member, error) {
	members, err := s.Members(ctx, root)
	i := slices.IndexFunc(members, func(m agents.Member) bool { return m.ID == id })
	if i < 0 {
		return agents.Member{ID: id}, err
	}
	return members[i], err
}

func ids(members []agents.Member) (ids []string) {
	for _, m := range members {
		ids = append(ids, m.ID)
	}
	return ids
}

func (s store) members(root agents.Key) []string {
	s.t.Helper()
	members, err := s.Members(s.t.Context(), root)
	if err != nil {
		s.t.Fatalf("Members(%v): %v", root, err)
	}
	return ids(members)
}

// roots pages through all roots, calling between after each page.
func (s store) roots(limit int, between func()) []agents.Key {
	s.t.Helper()
	return s.pages(limit, between, func(cursor string) ([]agents.Key, string, error) {
		return s.Roots(s.t.Context(), cursor, limit)
	})
}

// rootsOf pages through the roots of a tenant.
func (s store) rootsOf(tenant string, limit int) []agents.Key {
	s.t.Helper()
	return s.pages(limit, func() {}, func(cursor string) ([]agents.Key, string, error) {
		return s.RootsOf(s.t.Context(), tenant, cursor, limit)
	})
}

func (s store) pages(limit int, between func(), list func(cursor string) ([]agents.Key, string, error)) []agents.Key {
	s.t.Helper()
	var all []agents.Key
	for cursor := ""; ; {
		page, next, err := list(cursor)
		if err != nil {
			s.t.Fatalf("roots from %q, at most %d: %v", cursor, limit, err)
		}
		if len(page) > limit {
			s.t.Fatalf("roots from %q, at most %d: %d came", cursor, limit, len(page))
		}
		all = append(all, page...)
		if next == "" {
			return all
		}
		if next == cursor {
			s.t.Fatalf("the listing of roots does not advance from %q", cursor)
		}
		cursor = next
		between()
	}
}

// patience bounds the wait for what must come; it never decides a passing test.
const patience = 20 * time.Second
