package prefix

// A Footprint is the memory that some branches take. What several of them share counts
// once: the branches of forks begin with the very segments of their parent's.
//
// The zero Footprint is of no branches. It is not safe for concurrent use.
type Footprint struct {
	bytes int64
	holds map[*node]int // segment → how many branches end in it and held segments follow it
}

// Bytes is the memory in bytes, roughly: that of stored encodings and of what leads to
// their parts.
func (f *Footprint) Bytes() int64 { return f.bytes }

// Add counts one more branch in.
func (f *Footprint) Add(b Branch) {
	if f.holds == nil {
		f.holds = make(map[*node]int)
	}
	for n := b.tip; n != nil; n = n.parent {
		if f.holds[n]++; f.holds[n] > 1 {
			return // and so is all before it
		}
		f.bytes += n.memory()
	}
}

// Remove counts out a branch that was counted in.
func (f *Footprint) Remove(b Branch) {
	for n := b.tip; n != nil; n = n.parent {
		if f.holds[n]--; f.holds[n] > 0 {
			return
		}
		delete(f.holds, n)
		f.bytes -= n.memory()
	}
}

// memory is what the segment takes beside those before it, in bytes.
func (n *node) memory() int64 {
	const segment, entry, skip = 512, 144, 48
	return segment + int64(len(n.seg.raw)+entry*len(n.seg.Entries)+skip*len(n.seg.Skip))
}
