package prefix

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func numbered(from, n int) []Entry {
	entries := make([]Entry, n)
	for i := range entries {
		entries[i] = Entry{Item: fmt.Appendf(nil, `{"content":%d}`, from+i)}
	}
	return entries
}

// TestBranchMatchesASlice compares random forks and appends with plain slices.
func TestBranchMatchesASlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	branches := []Branch{{}}
	lists := [][]Entry{nil}
	for step := range 2000 {
		k := rng.IntN(len(branches))
		n := rng.IntN(len(lists[k]) + 1)
		added := numbered(step*10, rng.IntN(4))
		b, seg := branches[k].Cut(n).Append(added)
		if (seg == nil) != (len(added) == 0) {
			t.Fatalf("%d entries, segment %v", len(added), seg)
		}
		branches = append(branches, b)
		lists = append(lists, append(slices.Clone(lists[k][:n]), added...))
	}
	for k, b := range branches {
		list := lists[k]
		if b.Len() != len(list) {
			t.Fatalf("%d entries, want %d", b.Len(), len(list))
		}
		from := rng.IntN(len(list) + 1)
		var size int64
		for i, e := range list {
			size += int64(len(e.Item))
			if !bytes.Equal(b.At(i).Item, e.Item) {
				t.Fatalf("entry %d is %s, want %s", i, b.At(i).Item, e.Item)
			}
		}
		items := b.Items(from)
		if len(items) != len(list)-from {
			t.Fatalf("%d items from %d, want %d", len(items), from, len(list)-from)
		}
		for i, item := range items {
			if !bytes.Equal(item, list[from+i].Item) {
				t.Fatalf("item %d is %s, want %s", from+i, item, list[from+i].Item)
			}
		}
		if b.Bytes() != size {
			t.Fatalf("%d bytes, want %d", b.Bytes(), size)
		}
		o := rng.IntN(len(branches))
		shared := 0
		for shared < min(len(list), len(lists[o])) && bytes.Equal(list[shared].Item, lists[o][shared].Item) {
			shared++
		}
		if got := b.Shared(branches[o]); got != shared {
			t.Fatalf("%d entries shared, want %d", got, shared)
		}
	}
}

// TestAppendCopies: a history must not keep the request body alive that an
// item came from, nor change with it.
func TestAppendCopies(t *testing.T) {
	body := []byte(`{"role":"user"}`)
	b, _ := Branch{}.Append([]Entry{{Item: body}})
	clear(body)
	if got := string(b.At(0).Item); got != `{"role":"user"}` {
		t.Errorf("the entry became %q", got)
	}
}

func TestAtPanicsOutOfRange(t *testing.T) {
	b, _ := Branch{}.Append(numbered(0, 3))
	for _, i := range []int{-1, 2, 3} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("At(%d) of 2 did not panic", i)
				}
			}()
			b.Cut(2).At(i)
		}()
	}
}
