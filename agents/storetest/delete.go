package storetest

import (
	"errors"

	"trunkline/agents"
)

func testDelete(s store) {
	s.delete(one, 0)
	s.delete(one, 7)

	// Neighbours whose names begin alike must stay.
	neighbours := []agents.Key{{Tenant: "local", ID: "one."}, {Tenant: "local", ID: "one:b"}, {Tenant: "local", ID: "on"}}
	blob := []agents.Blob{{ID: "b", Data: []byte("b")}}
	for _, key := range neighbours {
		s.commit(key, agents.Change{Put: blob})
	}
	v1 := s.commit(one, agents.Change{Put: blob})
	v2 := s.commit(one, agents.Change{Version: v1, Put: []agents.Blob{{ID: "c", Data: []byte("c")}}})
	for _, version := range []uint64{0, v1, v2 + 1} {
		if err := s.Delete(s.t.Context(), one, version); !errors.Is(err, agents.ErrConflict) {
			s.t.Fatalf("Delete at version %d of %d = %v, want ErrConflict", version, v2, err)
		}
	}
	s.load(one)
	s.holds(one, "b", blob[0].Data)

	s.delete(one, v2)
	s.absent(one)
	s.holds(one, "b", nil)
	s.holds(one, "c", nil)
	s.delete(one, v2)
	for _, key := range neighbours {
		s.load(key)
		s.holds(key, "b", blob[0].Data)
	}

	s.commit(one, agents.Change{Data: []byte("again")})
	s.holds(one, "b", nil)
}
