package prefix

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Ref names a point in a history: the first N entries of segment Node, and
// everything before that segment. The zero Ref is the empty history.
type Ref struct {
	Node string // 128 bits, 32 lower-case hexadecimal digits
	N    int    // entries used of that segment, at least 1
}

// Segment is the unit of storage: entries appended together behind Parent. It
// is immutable and content-addressed: its node is a hash of its encoding, so
// equal histories have equal nodes and storing one twice changes nothing.
type Segment struct {
	Parent  Ref
	Entries []Entry

	// Skip names ancestors further back than Parent, so that a cold load can
	// ask for many segments at once.
	Skip []string

	node string
	raw  []byte
}

// CorruptError reports bytes that are not a segment's encoding.
type CorruptError struct {
	Offset int // of the first byte that cannot be right
	Msg    string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("prefix: corrupt segment at byte %d: %s", e.Offset, e.Msg)
}

// Node returns the segment's id.
func (s *Segment) Node() string { return s.node }

// Encode returns the bytes to store under Node. They must not be changed: the
// entries alias them.
func (s *Segment) Encode() []byte { return s.raw }

// The encoding, version 1. Numbers are minimal uvarints, nodes 16 raw bytes:
//
//	version parentN [parentNode] skipCount skipNode… entryCount entry…
//	entry = flags origin item [seen] [group] [id] [source] [heldCount (ordinal item)…]
//
// A text is its length and its bytes. There is exactly one encoding of a segment.
const (
	segmentVersion = 1
	nodeSize       = 16
)

// Flags of an entry: which of its optional parts follow.
const (
	flagHidden = 1 << iota
	flagSeen
	flagGroup
	flagID
	flagSource
	flagHeld
	flagsEnd
)

// newSegment copies the entries into one encoding and aliases that, so that a
// history does not keep whole request bodies alive.
func newSegment(parent Ref, skip []string, entries []Entry) *Segment {
	raw := encodeSegment(parent, skip, entries)
	s, err := DecodeSegment(raw)
	if err != nil {
		panic("prefix: an encoded segment does not decode: " + err.Error())
	}
	return s
}

func encodeSegment(parent Ref, skip []string, entries []Entry) []byte {
	size := 16 + (1+len(skip))*nodeSize
	for i := range entries {
		e := &entries[i]
		size += 24 + len(e.Item) + len(e.Seen) + len(e.ID) + len(e.Source)
		for _, h := range e.Held {
			size += 8 + len(h.Item)
		}
	}
	b := append(make([]byte, 0, size), segmentVersion)
	b = binary.AppendUvarint(b, uint64(parent.N))
	if parent.N > 0 {
		b = appendNode(b, parent.Node)
	}
	b = binary.AppendUvarint(b, uint64(len(skip)))
	for _, node := range skip {
		b = appendNode(b, node)
	}
	b = binary.AppendUvarint(b, uint64(len(entries)))
	for i := range entries {
		b = appendEntry(b, &entries[i])
	}
	return b
}

func appendEntry(b []byte, e *Entry) []byte {
	var flags byte
	for _, f := range []struct {
		set  bool
		flag byte
	}{
		{e.Hidden, flagHidden},
		{len(e.Seen) > 0, flagSeen},
		{e.Group > 1, flagGroup},
		{e.ID != "", flagID},
		{len(e.Source) > 0, flagSource},
		{len(e.Held) > 0, flagHeld},
	} {
		if f.set {
			flags |= f.flag
		}
	}
	b = append(b, flags, byte(e.Origin))
	b = appendBytes(b, e.Item)
	if flags&flagSeen != 0 {
		b = appendBytes(b, e.Seen)
	}
	if flags&flagGroup != 0 {
		b = binary.AppendUvarint(b, uint64(e.Group))
	}
	if flags&flagID != 0 {
		b = appendBytes(b, e.ID)
	}
	if flags&flagSource != 0 {
		b = appendBytes(b, e.Source)
	}
	if flags&flagHeld != 0 {
		b = binary.AppendUvarint(b, uint64(len(e.Held)))
		for _, h := range e.Held {
			b = binary.AppendUvarint(b, uint64(h.Ordinal))
			b = appendBytes(b, h.Item)
		}
	}
	return b
}

func appendBytes[T ~[]byte | ~string](b []byte, v T) []byte {
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

func appendNode(b []byte, node string) []byte {
	b, err := hex.AppendDecode(b, []byte(node))
	if err != nil {
		panic("prefix: not a node: " + node) // nodes come from decoded segments only
	}
	return b
}

// DecodeSegment reads what Encode returned. The result aliases raw. Any other
// bytes are a *CorruptError.
func DecodeSegment(raw []byte) (*Segment, error) {
	r := segmentReader{raw: raw}
	s := &Segment{raw: raw}
	if v := r.byte(); v != segmentVersion && r.err == nil {
		r.fail(0, fmt.Sprintf("version %d", v))
	}
	if s.Parent.N = r.int(); s.Parent.N > 0 {
		s.Parent.Node = r.node()
	}
	if n := r.count(nodeSize); n > 0 {
		s.Skip = make([]string, n)
		for i := range s.Skip {
			s.Skip[i] = r.node()
		}
	}
	if n := r.count(3); n > 0 { // flags, origin, length
		s.Entries = make([]Entry, n)
		for i := range s.Entries {
			r.entry(&s.Entries[i])
		}
	}
	if r.err == nil && len(s.Entries) == 0 {
		r.fail(r.at, "no entries")
	}
	if r.err == nil && r.at != len(raw) {
		r.fail(r.at, "trailing bytes")
	}
	if r.err != nil {
		return nil, r.err
	}
	sum := sha256.Sum256(raw)
	s.node = hex.EncodeToString(sum[:nodeSize])
	return s, nil
}
