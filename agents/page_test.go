package agents_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// A page holds those that cannot be read, behind the others of their tree, and nothing of
// other tenants.
func TestPageHoldsUnreadableRecords(t *testing.T) {
	store := storetest.Memory()
	s := agents.New(agents.Config{Store: store, Holder: "one"})
	for _, id := range []string{"broken-root", "root", "kid"} {
		who := agents.Identity{}
		if id == "kid" {
			who.Parent = "root"
		}
		if _, err := s.Register(t.Context(), key(id), who); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Register(t.Context(), agents.Key{Tenant: "other", ID: "root"}, agents.Identity{}); err != nil {
		t.Fatal(err)
	}
	if err := store.Enroll(t.Context(), key("root"), "broken"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"broken", "broken-root"} {
		change := agents.Change{Data: []byte(`{"id":"secret`)}
		if stored, err := store.Load(t.Context(), key(id)); err == nil {
			change.Version = stored.Version
		}
		if _, err := store.Commit(t.Context(), key(id), change); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		query agents.Query
		want  []string
	}{
		{agents.Query{Scope: agents.Descendants}, []string{"root 0", "kid 1", "broken !", "broken-root !"}},
		{agents.Query{Scope: agents.Children}, []string{"root 0", "broken-root !"}},
		{agents.Query{Scope: agents.Children, Root: "root"}, []string{"root 0", "kid 1", "broken !"}},
		{agents.Query{Scope: agents.Descendants, Parent: "root"}, []string{"kid 1", "broken !"}},
	} {
		for limit := 1; limit < 6; limit++ {
			q := c.query
			q.Tenant, q.Limit = key("").Tenant, limit
			var got []string
			for more := true; more; more = q.Cursor != "" {
				page, next, err := s.Page(t.Context(), q)
				if err != nil || len(page) > limit {
					t.Fatalf("%+v: %d agents, %v", q, len(page), err)
				}
				for _, a := range page {
					if a.Diagnostic != "" {
						got = append(got, a.ID+" !")
						continue
					}
					got = append(got, fmt.Sprint(a.ID, " ", a.Depth))
				}
				q.Cursor = next
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%+v: %v, want %v", c.query, got, c.want)
			}
		}
	}
}

// A cursor of something else is refused, and so is what nobody has given.
func TestPageRefusesCursors(t *testing.T) {
	s := agents.New(agents.Config{Store: storetest.Memory(), Holder: "one"})
	for _, cursor := range []string{"root", "bnVsbA", "W10", "WzFd", "W1sxXV0", "W1siYSIsMV1d"} { // null, [], [1], [[1]], [["a",1]]
		if _, _, err := s.Page(t.Context(), agents.Query{Limit: 1, Cursor: cursor}); !errors.Is(err, agents.ErrBadCursor) {
			t.Errorf("%s: %v, want ErrBadCursor", cursor, err)
		}
	}
}
