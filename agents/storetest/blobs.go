package storetest

import (
	"bytes"
	"fmt"
	"slices"

	"trunkline/agents"
)

func testBytes(s store) {
	odd := []byte("\x00\xff{\r\n}\"\xc3(%s")
	data, blob := bytes.Clone(odd), bytes.Clone(odd)
	s.commit(one, agents.Change{Data: data, Put: []agents.Blob{
		{ID: "odd", Data: blob},
		{ID: "empty", Data: []byte{}},
		{ID: "nil"},
		{ID: "\x00 {}/:é", Data: []byte("odd id")},
	}})
	clear(data)
	clear(blob)
	clear(s.load(one).Data)
	clear(s.blobs(agents.BlobRef{Owner: one, ID: "odd"})[0])

	if got := s.load(one).Data; !bytes.Equal(got, odd) {
		s.t.Fatalf("record = %q, want %q", got, odd)
	}
	s.holds(one, "odd", odd)
	s.holds(one, "empty", []byte{})
	s.holds(one, "nil", []byte{})
	s.holds(one, "\x00 {}/:é", []byte("odd id"))
}

// testLarge puts one large record, one large blob, and more blobs than a script's
// argument stack holds.
func testLarge(s store) {
	const many = 10_000
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	put := []agents.Blob{{ID: "large", Data: large}}
	refs := []agents.BlobRef{{Owner: one, ID: "large"}}
	drop := []string{}
	for i := range many {
		id := fmt.Sprintf("%064d", i)
		put = append(put, agents.Blob{ID: id, Data: []byte(id)})
		refs = append(refs, agents.BlobRef{Owner: one, ID: id})
		drop = append(drop, id)
	}
	version := s.commit(one, agents.Change{Data: large, Put: put})
	if !bytes.Equal(s.load(one).Data, large) {
		s.t.Fatal("the large record came back changed")
	}
	for i, got := range s.blobs(refs...) {
		if !bytes.Equal(got, put[i].Data) {
			s.t.Fatalf("blob %q came back as %.80q", put[i].ID, got)
		}
	}
	version = s.commit(one, agents.Change{Version: version, Drop: drop})
	for i, got := range s.blobs(refs...)[1:] {
		if got != nil {
			s.t.Fatalf("blob %q was not dropped", drop[i])
		}
	}
	s.holds(one, "large", large)
	s.delete(one, version)
	s.holds(one, "large", nil)
}

func testPutAgain(s store) {
	blob := []agents.Blob{{ID: "b", Data: []byte("first")}}
	version := s.commit(one, agents.Change{Put: blob})
	version = s.commit(one, agents.Change{Version: version, Put: blob})
	s.commit(one, agents.Change{Version: version, Put: []agents.Blob{{ID: "b", Data: []byte("second")}}})
	s.holds(one, "b", []byte("first"))
}

func testDrop(s store) {
	b, c := agents.Blob{ID: "b", Data: []byte("b")}, agents.Blob{ID: "c", Data: []byte("c")}
	version := s.commit(one, agents.Change{Put: []agents.Blob{b, c}})
	version = s.commit(one, agents.Change{Version: version, Drop: []string{"b", "missing"}})
	s.holds(one, "b", nil)
	s.holds(one, "c", c.Data)

	version = s.commit(one, agents.Change{Version: version, Put: []agents.Blob{b, c}, Drop: []string{"c"}})
	s.holds(one, "b", b.Data)
	s.holds(one, "c", c.Data)

	s.commit(one, agents.Change{Version: version, Drop: []string{"b", "c"}})
	s.holds(one, "b", nil)
	s.holds(one, "c", nil)
	s.load(one) // an agent without blobs is still there
}

func testOwned(s store) {
	two := agents.Key{Tenant: "local", ID: "two"}
	s.commit(two, agents.Change{Put: []agents.Blob{{ID: "a:9", Data: []byte("2")}}})
	version := s.commit(one, agents.Change{Put: []agents.Blob{
		{ID: "a:1", Data: []byte("1")}, {ID: "a:2"}, {ID: "b:1", Data: []byte("3")}, {ID: "a", Data: []byte("4")},
	}})
	owned := func(prefix string, want ...string) {
		s.t.Helper()
		ids, err := s.Owned(s.t.Context(), one, prefix)
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, want) {
			s.t.Fatalf("Owned(%q) = %q, %v, want %q", prefix, ids, err, want)
		}
	}
	owned("a:", "a:1", "a:2")
	owned("", "a", "a:1", "a:2", "b:1")
	owned("c")
	s.commit(one, agents.Change{Version: version, Drop: []string{"a:1"}})
	owned("a:", "a:2")
}

func testBlobsOrder(s store) {
	two := agents.Key{Tenant: "local", ID: "two"}
	nobody := agents.Key{Tenant: "local", ID: "nobody"}
	s.commit(one, agents.Change{Put: []agents.Blob{{ID: "a", Data: []byte("1a")}, {ID: "b", Data: []byte("1b")}}})
	s.commit(two, agents.Change{Put: []agents.Blob{{ID: "a", Data: []byte("2a")}}})

	got := s.blobs(
		agents.BlobRef{Owner: two, ID: "b"},
		agents.BlobRef{Owner: one, ID: "b"},
		agents.BlobRef{Owner: two, ID: "a"},
		agents.BlobRef{Owner: nobody, ID: "a"},
		agents.BlobRef{Owner: one, ID: "a"},
		agents.BlobRef{Owner: one, ID: "b"},
	)
	for i, want := range [][]byte{nil, []byte("1b"), []byte("2a"), nil, []byte("1a"), []byte("1b")} {
		if !bytes.Equal(got[i], want) || (got[i] == nil) != (want == nil) {
			s.t.Fatalf("blob %d = %q, want %q", i, got[i], want)
		}
	}
	s.blobs() // none asked is no error
}
