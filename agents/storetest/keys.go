package storetest

import (
	"fmt"
	"slices"

	"trunkline/agents"
)

// testKeysApart gives every pair of an awkward tenant and an awkward id its own record,
// blob and tree: no two may meet in the engine's own names.
func testKeysApart(s store) {
	tenants := []string{"", "a", "a:b", "a/b", "a.b", "A", "a%2Fb", "{a}", "a}", "\x00", "a\x00b", "é", "\xff"}
	ids := []string{"a", "b", "b:c", "b.c", "a:b", ":", ".", "..", "-", "_", "A", "r", "b:r"}
	versions := map[agents.Key]uint64{}
	for _, tenant := range tenants {
		for _, id := range ids {
			key := agents.Key{Tenant: tenant, ID: id}
			name := fmt.Appendf(nil, "%q", key)
			versions[key] = s.commit(key, agents.Change{Data: name, Put: []agents.Blob{{ID: "b", Data: name}}})
			s.enroll(key, id, "child-of-"+id)
		}
	}
	for key, version := range versions {
		name := fmt.Sprintf("%q", key)
		if got := s.load(key); string(got.Data) != name || got.Version != version {
			s.t.Fatalf("record of %s = %s at %d, want version %d", name, got.Data, got.Version, version)
		}
		s.holds(key, "b", []byte(name))
		want := []string{key.ID, "child-of-" + key.ID}
		slices.Sort(want)
		if got := s.members(key); !slices.Equal(got, want) {
			s.t.Fatalf("members of %s = %q, want %q", name, got, want)
		}
	}
	roots := s.roots(10, func() {})
	for _, key := range roots {
		if _, ok := versions[key]; !ok {
			s.t.Fatalf("%q was listed, but never enrolled as a root", key)
		}
	}
	if len(roots) != len(versions) {
		s.t.Fatalf("%d roots were listed, want %d", len(roots), len(versions))
	}

	gone := agents.Key{Tenant: "a", ID: "b"}
	s.delete(gone, versions[gone])
	s.absent(gone)
	for key := range versions {
		if key != gone {
			s.load(key)
			s.holds(key, "b", fmt.Appendf(nil, "%q", key))
		}
	}
}
