package storetest

import (
	"bytes"
	"slices"
	"testing"

	"trunkline/agents"
)

func testReopen(t *testing.T, open Place) {
	blob := agents.Blob{ID: "b", Data: []byte("blob")}
	first := store{open(), t}
	v1 := first.commit(one, agents.Change{Data: []byte("1"), Put: []agents.Blob{blob}})
	v2 := first.commit(one, agents.Change{Version: v1, Data: []byte("2")})
	first.enroll(one, "one", "child")
	if err := first.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}

	second := opened(t, open)
	if got := second.load(one); !bytes.Equal(got.Data, []byte("2")) || got.Version != v2 {
		t.Fatalf("after a reopen: %q at %d, want %q at %d", got.Data, got.Version, "2", v2)
	}
	second.holds(one, "b", blob.Data)
	if got := second.members(one); !slices.Equal(got, []string{"child", "one"}) {
		t.Fatalf("after a reopen: members %q", got)
	}
	if got := second.roots(10, func() {}); !slices.Equal(got, []agents.Key{one}) {
		t.Fatalf("after a reopen: roots %v", got)
	}
	second.refused(one, agents.Change{Version: v1})
	second.commit(one, agents.Change{Version: v2})
}

func testSharedLoad(a, b store) {
	version := uint64(0)
	for _, pair := range [][2]store{{a, b}, {b, a}, {a, b}} {
		stale := version
		version = pair[0].commit(one, agents.Change{Version: version})
		if got := pair[1].load(one); got.Version != version {
			a.t.Fatalf("the other store has version %d, want %d", got.Version, version)
		}
		pair[1].refused(one, agents.Change{Version: stale})
	}
	if a.Exclusive() || b.Exclusive() {
		a.t.Fatal("a shared store calls itself exclusive")
	}
}

func testSharedContention(a, b store) { contend(a, b) }

func testSharedWatch(a, b store) {
	hints := Hints(b.t, b)
	version := a.commit(one, agents.Change{})
	AwaitHint(b.t, hints, one)
	a.delete(one, version)
	AwaitHint(b.t, hints, one)
}
