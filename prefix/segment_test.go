package prefix

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everyField has each optional part of an entry both present and absent.
func everyField() []Entry {
	return []Entry{
		{Item: []byte(`{"role":"user","content":"task\n\nguidance"}`), Seen: []byte(`{"role":"user","content":"task"}`), Origin: OriginTask},
		{Item: []byte(`{"role":"user","content":"hi"}`), Hidden: true, Origin: OriginMessage, ID: "m1", Source: []byte(`{"kind":"agent-message"}`)},
		{Item: []byte(`{"role":"assistant"}`), Seen: []byte(`{}`), Group: 3, Origin: OriginAnswer,
			Held: []Held{{Ordinal: 0, Item: []byte(`{"role":"tool"}`)}, {Ordinal: 2}}},
		{},
	}
}

func TestSegmentRoundTrips(t *testing.T) {
	var b Branch
	b, _ = b.Append([]Entry{{Item: []byte(`{}`)}})
	b, seg := b.Append(everyField())
	got, err := DecodeSegment(bytes.Clone(seg.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(everyField(), got.Entries); diff != "" {
		t.Error(diff)
	}
	if got.Parent != b.Cut(1).Ref() || got.Node() != seg.Node() || got.Node() != b.Ref().Node {
		t.Errorf("parent %v, node %s", got.Parent, got.Node())
	}
}

func TestSegmentIsSmall(t *testing.T) {
	entries := make([]Entry, 100)
	payload := 0
	for i := range entries {
		entries[i] = Entry{Item: bytes.Repeat([]byte("x"), 100*i), Origin: OriginAnswer, Hidden: true}
		payload += len(entries[i].Item)
	}
	_, seg := Branch{}.Append(entries)
	if per := (len(seg.Encode()) - payload) / len(entries); per > 6 {
		t.Errorf("%d bytes of overhead an entry", per)
	}
}

// TestSegmentsDiffer: every field and the parent enter the node, also where
// two fields' bytes would run together.
func TestSegmentsDiffer(t *testing.T) {
	parent, _ := Branch{}.Append([]Entry{{Item: []byte("1")}, {Item: []byte("2")}})
	seen := make(map[string]string)
	add := func(name string, parent Branch, entries ...Entry) {
		b, _ := parent.Append(entries)
		if other, taken := seen[b.Ref().Node]; taken {
			t.Errorf("%s and %s have the same node", name, other)
		}
		seen[b.Ref().Node] = name
	}
	add("item", Branch{}, Entry{Item: []byte("ab")})
	add("two items", Branch{}, Entry{Item: []byte("a")}, Entry{Item: []byte("b")})
	add("item and seen", Branch{}, Entry{Item: []byte("a"), Seen: []byte("b")})
	add("item and source", Branch{}, Entry{Item: []byte("a"), Source: []byte("b")})
	add("item and id", Branch{}, Entry{Item: []byte("a"), ID: "b"})
	add("hidden", Branch{}, Entry{Item: []byte("ab"), Hidden: true})
	add("group", Branch{}, Entry{Item: []byte("ab"), Group: 2})
	add("held", Branch{}, Entry{Item: []byte("ab"), Held: []Held{{Ordinal: 1}}})
	for o := OriginAnswer; o < originCount; o++ {
		add(o.String(), Branch{}, Entry{Item: []byte("ab"), Origin: o})
	}
	add("behind one", parent.Cut(1), Entry{Item: []byte("ab")})
	add("behind two", parent, Entry{Item: []byte("ab")})
}

func TestCorruptSegmentNamesTheOffset(t *testing.T) {
	_, seg := Branch{}.Append(everyField())
	raw := seg.Encode()
	for n := range raw {
		var corrupt *CorruptError
		if _, err := DecodeSegment(raw[:n]); !errors.As(err, &corrupt) {
			t.Fatalf("cut at %d: %v", n, err)
		} else if corrupt.Offset > n {
			t.Fatalf("cut at %d: offset %d", n, corrupt.Offset)
		}
	}
	for _, c := range []struct {
		name   string
		raw    []byte
		offset int
	}{
		{"version", []byte{9, 0, 0, 1, 0, 0, 0}, 0},
		{"a long number", []byte{1, 0x80, 0, 0, 1, 0, 0, 0}, 1},
		{"no entries", []byte{1, 0, 0, 0}, 4},
		{"more entries than bytes", []byte{1, 0, 0, 100, 0, 0, 0}, 3},
		{"flags", []byte{1, 0, 0, 1, 0x80, 0, 0}, 4},
		{"origin", []byte{1, 0, 0, 1, 0, 99, 0}, 5},
		{"trailing", []byte{1, 0, 0, 1, 0, 0, 0, 0}, 7},
	} {
		var corrupt *CorruptError
		if _, err := DecodeSegment(c.raw); !errors.As(err, &corrupt) || corrupt.Offset != c.offset {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// FuzzSegment: arbitrary bytes are either refused or the one encoding of what
// they decode to.
func FuzzSegment(f *testing.F) {
	b, seg := Branch{}.Append(everyField())
	f.Add(seg.Encode())
	for i := range 40 {
		b, seg = b.Append([]Entry{{Item: fmt.Appendf(nil, `{"content":%d}`, i)}})
	}
	f.Add(seg.Encode())
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := DecodeSegment(raw)
		if err != nil {
			return
		}
		if again := encodeSegment(s.Parent, s.Skip, s.Entries); !bytes.Equal(again, raw) {
			t.Fatalf("decoded and encoded again:\n%x\n%x", raw, again)
		}
	})
}
