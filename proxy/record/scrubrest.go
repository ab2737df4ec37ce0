package record

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// filled is a body whose prose is replaced up to done.
type filled struct {
	was, is []byte
	done    int
}

// tries bounds the search for a filler that parts from others where the bodies do.
const tries = 256

// rest replaces what is neither JSON nor the events of a stream: the remains of a body that was
// cut, and what another program wrote. Where such a body begins as another does, as a cut answer
// and a whole one do, it gets the other's beginning, and then filler of its own.
func (s *scrubber) rest() {
	all := s.bodies
	slices.SortStableFunc(all, func(a, b filled) int { return bytes.Compare(a.was, b.was) })
	shared := make([]int, len(all)) // with the body before, in bytes
	for i := 1; i < len(all); i++ {
		shared[i] = common(all[i-1].was, all[i].was)
	}
	for i := range all {
		if f := &all[i]; f.done < len(f.is) {
			s.settle(f, relatives(all, shared, i))
			f.done = len(f.is)
		}
	}
}

// A relative is another body, with the bytes that the two have in common.
type relative struct {
	*filled
	common int
}

// relatives are all bodies but one. In their sorted order two have in common what is the least
// that neighbours between them have.
func relatives(all []filled, shared []int, i int) []relative {
	var found []relative
	for k, n := i, len(all[i].was); k > 0; k-- {
		n = min(n, shared[k])
		found = append(found, relative{&all[k-1], n})
	}
	for k, n := i+1, len(all[i].was); k < len(all); k++ {
		n = min(n, shared[k])
		found = append(found, relative{&all[k], n})
	}
	return found
}

// settle replaces what is left of a body.
func (s *scrubber) settle(f *filled, others []relative) {
	for _, o := range others {
		if n := min(o.common, o.done); n > f.done {
			f.done += copy(f.is[f.done:n], o.is[f.done:n])
		}
	}
	at := f.done
	if at == len(f.is) {
		return
	}
	taken := map[byte]bool{} // what stands in its place in those that part from it here
	for _, o := range others {
		if o.common == at && at < o.done {
			taken[o.is[at]] = true
		}
	}
	seed := sha256.New()
	seed.Write(s.secret.state[:])
	seed.Write(f.was[:at])
	own := filler{[sha256.Size]byte(seed.Sum(nil))}
	for range tries {
		copy(f.is[at:], f.was[at:])
		next := own
		next.bytes(f.is[at:])
		if !taken[f.is[at]] {
			return
		}
		own.next(0)
	}
}
