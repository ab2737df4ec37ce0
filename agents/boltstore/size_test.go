package boltstore_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"trunkline/agents"
)

// A conversation is thousands of small blobs named by digests, put a few at a time.
// They may take twice their bytes and names, and what a Delete frees is used again.
func TestSpaceOfSmallBlobs(t *testing.T) {
	s := open(t, path(t))
	defer s.Close()
	payload := 0
	converse := func(key agents.Key) (version uint64) {
		for i := range 200 {
			var put []agents.Blob
			for j := range 10 {
				id := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, key, i, j)))
				put = append(put, agents.Blob{ID: id, Data: bytes.Repeat([]byte{'x'}, 300)})
				payload += len(id) + 300
			}
			var err error
			version, err = s.Commit(t.Context(), key, agents.Change{Version: version, Data: make([]byte, 1000), Put: put})
			if err != nil {
				t.Fatal(err)
			}
		}
		return version
	}
	used := func() int64 {
		size, err := s.Size()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d bytes of names and blobs: file %d, used %d", payload, size.File, size.Used)
		return size.Used
	}

	empty := used()
	first := agents.Key{Tenant: "local", ID: "first"}
	version := converse(first)
	full := used()
	if full-empty > int64(2*payload)+64<<10 {
		t.Errorf("%d bytes of names and blobs take %d", payload, full-empty)
	}
	if err := s.Delete(t.Context(), first, version); err != nil {
		t.Fatal(err)
	}
	if deleted := used(); deleted > empty+64<<10 {
		t.Errorf("after the delete %d bytes are used, before the first record %d", deleted, empty)
	}
}
