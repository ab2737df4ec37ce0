package reuse

import (
	"math"
	"strings"
	"testing"

	"trunkline/prefix"
)

// TestPaceFollowsTheFitterMeasure: tokens by bytes and tokens by pieces are told apart by a
// few reports, whatever the rate.
func TestPaceFollowsTheFitterMeasure(t *testing.T) {
	parts := []Weight{{4000, 800}, {4000, 1600}, {4000, 1000}, {4000, 700}, {4000, 1300}}
	for name, tokens := range map[string]func(Weight) float64{
		"bytes":         func(w Weight) float64 { return float64(w.Text) / 4 },
		"many by bytes": func(w Weight) float64 { return float64(w.Text) / 2.5 },
		"pieces":        func(w Weight) float64 { return float64(w.Pieces) },
		"many pieces":   func(w Weight) float64 { return float64(w.Pieces) * 1.5 },
	} {
		var p pace
		for range 4 {
			for _, w := range parts {
				p = p.with(w, int64(tokens(w)))
			}
		}
		for _, w := range parts {
			if off := math.Abs(p.of(w)-tokens(w)) / tokens(w); off > 0.02 {
				t.Errorf("%s: %+v is taken for %.0f tokens, of %.0f", name, w, p.of(w), tokens(w))
			}
		}
	}
}

// TestPaceOutlivesAPicture: a report that the weight cannot explain spoils no others.
func TestPaceOutlivesAPicture(t *testing.T) {
	var p pace
	for range 5 {
		p = p.with(Weight{4000, 1000}, 1000)
	}
	p = p.with(around(), 3000)
	if got := p.of(Weight{4000, 1000}); got < 980 || got > 1020 {
		t.Errorf("%.0f tokens", got)
	}
	if p.with(around(), 0) != p || p.with(Weight{}, 5) != p {
		t.Error("learnt from nothing")
	}
}

// A guess stands in for reports that do not come. It is none: the first report takes its
// place, also where the guess was made, and for all that shares a part of that.
func TestAGuessGivesWayToAReport(t *testing.T) {
	x, s := NewIndex(IndexConfig{}), Scope{"t", "p", "m"}
	system := strings.Repeat("You are an agent. ", 500)
	tokens := func(p Path) int64 { n, _ := x.Look(s, p, "", at0).Calibrate(p).Tokens(p.Bytes(p.Len())); return n }
	near := func(what string, got, want int64) {
		t.Helper()
		if got < want-want/20 || got > want+want/20 {
			t.Errorf("%s: %d tokens, want about %d", what, got, want)
		}
	}
	first, other := pathOf(system, "first"), pathOf(system, "another")
	x.Add(s, first, Sent{Answered: true}, at0)
	if x.Look(s, first, "", at0).Paced() {
		t.Error("nothing was said of tokens yet")
	}
	x.Guess(s, first, 1500)
	near("as guessed", tokens(first), 1500)
	x.Guess(s, first, 9000)
	near("a second guess", tokens(first), 1500)

	answered := first.Extend(values("answer", "more"))
	x.Add(s, answered, Sent{Answered: true, Tokens: prefix.Tokens(3000)}, at0)
	near("as reported", tokens(answered), 3000)
	near("where it was guessed", tokens(first), 3000)
	near("another conversation", tokens(other), 3000)
}
