package prefix

import (
	"testing"

	"pgregory.net/rapid"
)

// TestFootprintCountsSharedSegmentsOnce compares with the sum over all segments in use, for
// branches that fork from one another, come and go.
func TestFootprintCountsSharedSegmentsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Footprint
		known, counted := []Branch{{}}, []Branch{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch pick := rapid.IntRange(0, len(known)-1).Draw(t, "branch"); {
			case len(counted) > 0 && rapid.Bool().Draw(t, "remove"):
				k := pick % len(counted)
				f.Remove(counted[k])
				counted = append(counted[:k], counted[k+1:]...)
			default:
				b, _ := known[pick].Cut(rapid.IntRange(0, known[pick].Len()).Draw(t, "cut")).
					Append(numbered(len(known), rapid.IntRange(0, 3).Draw(t, "entries")))
				f.Add(b)
				known, counted = append(known, b), append(counted, b)
			}
			var want int64
			seen := map[*node]bool{}
			for _, b := range counted {
				for n := b.tip; n != nil; n = n.parent {
					if !seen[n] {
						seen[n], want = true, want+n.memory()
					}
				}
			}
			if f.Bytes() != want || len(f.holds) != len(seen) {
				t.Fatalf("%d bytes of %d segments, want %d of %d", f.Bytes(), len(f.holds), want, len(seen))
			}
		}
	})
}
