package prefix

import (
	"cmp"
	"slices"
)

// A Point is a prefix whose length is known both ways: a provider reported the
// tokens of a prompt whose raw bytes are known.
type Point struct{ Bytes, Tokens int64 }

// A Calibration turns bytes of one lineage into tokens. Its points lie on that
// lineage, so a prefix that ends at one is known exactly, and an error can only
// come from what lies between or beyond them. The zero value knows nothing.
type Calibration struct {
	Points []Point // ascending in Bytes
	Rate   float64 // tokens a byte elsewhere under the same provider and model; 0 when unknown
	Head   int64   // bytes of the head, whose text is of another kind than the history's
	Dense  float64 // tokens a byte of the head for one a byte of the history; 0 when unknown
}

// pace is what tokens are spread evenly over: n bytes, those of the head weighed by Dense.
func (c Calibration) pace(n int64) float64 {
	pace := float64(n)
	if c.Dense > 0 {
		pace += (c.Dense - 1) * float64(min(n, c.Head))
	}
	return pace
}

// With returns c with one more point. A point that contradicts the others,
// being longer with fewer tokens, replaces them: the newer report is the one
// that still describes the provider.
func (c Calibration) With(p Point) Calibration {
	if p.Bytes <= 0 || p.Tokens <= 0 {
		return c
	}
	points := slices.DeleteFunc(slices.Clone(c.Points), func(q Point) bool {
		return q.Bytes == p.Bytes || (q.Bytes < p.Bytes) != (q.Tokens <= p.Tokens)
	})
	at, _ := slices.BinarySearchFunc(points, p, func(a, b Point) int { return cmp.Compare(a.Bytes, b.Bytes) })
	c.Points = slices.Insert(points, at, p)
	return c
}

// Tokens estimates the tokens of the first n bytes. Between two points it
// interpolates. Beyond the last one it goes on at the rate of the newest part,
// which is what the text to come resembles most; ahead of the first one it
// takes that prompt's average, with more for the head where its text is denser. known is false when there is nothing to go by.
func (c Calibration) Tokens(n int64) (tokens int64, known bool) {
	if n <= 0 {
		return 0, true
	}
	at, exact := slices.BinarySearchFunc(c.Points, n, func(p Point, n int64) int { return cmp.Compare(p.Bytes, n) })
	switch {
	case exact:
		return c.Points[at].Tokens, true
	case len(c.Points) == 0:
		return int64(c.Rate*float64(n) + 0.5), c.Rate > 0
	}
	var from, to Point // from may be the origin
	switch {
	case at == 0:
		to = c.Points[0]
	case at < len(c.Points):
		from, to = c.Points[at-1], c.Points[at]
	default:
		to = c.Points[at-1]
		if at > 1 && to.Tokens > c.Points[at-2].Tokens {
			from = c.Points[at-2]
		}
	}
	rate := float64(to.Tokens-from.Tokens) / (c.pace(to.Bytes) - c.pace(from.Bytes))
	return from.Tokens + int64(rate*(c.pace(n)-c.pace(from.Bytes))+0.5), true
}
