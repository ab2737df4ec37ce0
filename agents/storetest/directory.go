package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"trunkline/agents"
)

func testMembers(s store) {
	want := func(ids ...string) {
		s.t.Helper()
		if got := s.members(one); !slices.Equal(got, ids) {
			s.t.Fatalf("members = %q, want %q", got, ids)
		}
	}
	want()
	s.strike(one, "one", "never")
	s.enroll(one, "one", "b", "a:1", "a", "Z", "a.b")
	want("Z", "a", "a.b", "a:1", "b", "one")
	s.enroll(one, "b", "one")
	want("Z", "a", "a.b", "a:1", "b", "one")
	s.strike(one, "b", "b", "never")
	want("Z", "a", "a.b", "a:1", "one")

	// The directory knows names only: records come and go without it.
	s.absent(one)
	s.delete(one, s.commit(one, agents.Change{}))
	want("Z", "a", "a.b", "a:1", "one")
	s.strike(one, "Z", "a", "a.b", "a:1", "one")
	want()
}

func testRoots(s store) {
	two := agents.Key{Tenant: "other", ID: "two"}
	want := func(keys ...agents.Key) {
		s.t.Helper()
		got := s.roots(100, func() {})
		slices.SortFunc(got, func(a, b agents.Key) int { return cmp.Compare(a.ID, b.ID) })
		if !slices.Equal(got, keys) {
			s.t.Fatalf("roots = %v, want %v", got, keys)
		}
	}
	want()
	s.enroll(one, "one")
	s.enroll(one, "one", "child") // a child is no root
	s.enroll(two, "two")
	want(one, two)
	s.strike(one, "child")
	want(one, two)
	s.strike(one, "one")
	want(two)
	s.strike(one, "one")
	s.enroll(one, "one")
	want(one, two)

	page, next, err := s.Roots(s.t.Context(), "", 0)
	if err != nil || len(page) != 1 || next == "" {
		s.t.Fatalf("Roots with limit 0 = %v, %q, %v; want one root and more", page, next, err)
	}
}

// testRootsOf gives tenants whose names lie close together some roots each: a listing has
// those of its own tenant, whatever its pages are.
func testRootsOf(s store) {
	tenants := []string{"", "a", "a!", "a.", "a/", "a/b", "a0", "aa", "A", "a%2F", "\x00", "é", "\xff"}
	ids := []string{"-", "a", "b", "~"}
	for _, tenant := range tenants {
		for _, id := range ids {
			s.enroll(agents.Key{Tenant: tenant, ID: id}, id, "child")
		}
	}
	for _, tenant := range tenants {
		for limit := 1; limit <= len(ids)+1; limit++ {
			var got []string
			for _, root := range s.rootsOf(tenant, limit) {
				if root.Tenant != tenant {
					s.t.Fatalf("tenant %q was shown %q of %q", tenant, root.ID, root.Tenant)
				}
				got = append(got, root.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, ids) {
				s.t.Fatalf("tenant %q has roots %q by %d, want %q", tenant, got, limit, ids)
			}
		}
	}
	if got := s.rootsOf("b", 1); len(got) > 0 {
		s.t.Fatalf("a tenant without roots has %v", got)
	}
	if page, next, err := s.RootsOf(s.t.Context(), "a", "", 0); err != nil || len(page) != 1 || next == "" {
		s.t.Fatalf("RootsOf with limit 0 = %v, %q, %v; want one root and more", page, next, err)
	}
}

// testLateStrike strikes what was enrolled anew since it was listed, also when it was struck
// between: no mark comes back.
func testLateStrike(s store) {
	for _, id := range []string{"one", "child"} {
		s.enroll(one, id)
		late := []agents.Member{{ID: id}, s.member(one, id)}
		s.enroll(one, id)
		late = append(late, s.member(one, id))
		s.strike(one, id)
		s.enroll(one, id)
		for _, member := range late {
			if err := s.Strike(s.t.Context(), one, member); err != nil {
				s.t.Fatalf("Strike(%v): %v", member, err)
			}
		}
	}
	if got := s.members(one); !slices.Equal(got, []string{"child", "one"}) {
		s.t.Fatalf("after late strikes: members %q", got)
	}
	if got := s.roots(10, func() {}); !slices.Equal(got, []agents.Key{one}) {
		s.t.Fatalf("after late strikes: roots %v", got)
	}
}

// testRootsRace enrolls a root while another strikes it. Either may come last, but a
// root that stays in its tree must be listed, or nobody would find its agents again.
func testRootsRace(s store) {
	for range 100 {
		member := s.member(one, "one")
		var wg sync.WaitGroup
		var enrolled, struck error
		wg.Go(func() { enrolled = s.Enroll(s.t.Context(), one, "one") })
		wg.Go(func() { struck = s.Strike(s.t.Context(), one, member) })
		wg.Wait()
		if err := errors.Join(enrolled, struck); err != nil {
			s.t.Fatal(err)
		}
		if len(s.members(one)) == 1 && !slices.Contains(s.roots(10, func() {}), one) {
			s.t.Fatal("the root is in its tree and not listed")
		}
	}
}

// testRootsPaging adds roots before and after the cursor and strikes those already
// listed: each root that is there all along is listed once.
func testRootsPaging(s store) {
	for _, limit := range []int{1, 3, 7, 100} {
		tenant := fmt.Sprintf("limit-%d", limit)
		key := func(id string) agents.Key { return agents.Key{Tenant: tenant, ID: id} }
		const roots = 20
		for i := range roots {
			k := key(fmt.Sprintf("stays-%02d", i))
			s.enroll(k, k.ID)
		}
		added := 0
		list := s.roots(limit, func() {
			added++
			for _, format := range []string{"a-%02d", "stays-10-%02d", "z-%02d"} {
				if added < 20 { // or the end would run away
					k := key(fmt.Sprintf(format, added))
					s.enroll(k, k.ID)
				}
			}
		})
		seen := map[agents.Key]int{}
		for _, k := range list {
			seen[k]++
		}
		for k, n := range seen {
			if n > 1 {
				s.t.Fatalf("limit %d: %v was listed %d times", limit, k, n)
			}
		}
		for i := range roots {
			if k := key(fmt.Sprintf("stays-%02d", i)); seen[k] != 1 {
				s.t.Fatalf("limit %d: %v was not listed", limit, k)
			}
		}
	}
}
