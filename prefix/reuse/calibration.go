package reuse

import (
	"cmp"
	"slices"
)

// A Point is a prefix whose length is known both ways: a provider reported the
// tokens of a prompt whose raw bytes are known.
type Point struct{ Bytes, Tokens int64 }

// A Calibration turns bytes of one request into tokens. Its points are reports
// on the request's own path, so a prefix that ends at one is known exactly, and
// an error can only come from what lies between or beyond them. The zero value
// knows nothing.
type Calibration struct {
	Points []Point // ascending in Bytes
	course []mark  // ascending in bytes
	known  bool    // the course rests on reports, if of other requests
}

// A mark is a position, and the tokens that it is guessed to be at: by weight
// from the last report on, or from the beginning.
type mark struct {
	bytes  int64
	tokens float64
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

// guess is where the course is after n bytes: between two marks in proportion, beyond the
// last at its average.
func (c Calibration) guess(n int64) float64 {
	at, _ := slices.BinarySearchFunc(c.course, n, func(m mark, n int64) int { return cmp.Compare(m.bytes, n) })
	var from, to mark // from may be the origin
	switch {
	case len(c.course) == 0:
		return float64(n) / 4
	case at == len(c.course):
		to = c.course[at-1]
	default:
		to = c.course[at]
		if at > 0 {
			from = c.course[at-1]
		}
	}
	if to.bytes == from.bytes {
		return to.tokens
	}
	return from.tokens + float64(n-from.bytes)*(to.tokens-from.tokens)/float64(to.bytes-from.bytes)
}

// Guess estimates the tokens of the first n bytes without any report, as common
// vocabularies have them.
func (c Calibration) Guess(n int64) int64 { return int64(c.guess(n) + 0.5) }

// Tokens estimates the tokens of the first n bytes: between two points what
// lies between them, shared out along the course; beyond the last one its
// tokens and what the course adds. known is false when there is nothing to go by.
func (c Calibration) Tokens(n int64) (tokens int64, known bool) {
	if n <= 0 {
		return 0, true
	}
	at, exact := slices.BinarySearchFunc(c.Points, n, func(p Point, n int64) int { return cmp.Compare(p.Bytes, n) })
	var from Point // may be the origin
	if at > 0 {
		from = c.Points[at-1]
	}
	switch {
	case exact:
		return c.Points[at].Tokens, true
	case len(c.Points) == 0 && !c.known:
		return 0, false
	case at == len(c.Points):
		return from.Tokens + int64(c.guess(n)-c.guess(from.Bytes)+0.5), true
	}
	to, done := c.Points[at], c.guess(from.Bytes)
	share := float64(n-from.Bytes) / float64(to.Bytes-from.Bytes)
	if whole := c.guess(to.Bytes) - done; whole > 0 {
		share = (c.guess(n) - done) / whole
	}
	return from.Tokens + int64(share*float64(to.Tokens-from.Tokens)+0.5), true
}
