package reuse

// reports are what providers have said around the end of what a request shares: enough to
// turn its bytes into tokens, for which only what no report covers is weighed.
type reports struct {
	pace   pace
	last   end   // nearest at the end of what is shared, or before; zero without one
	first  end   // furthest before
	at     int   // where sharing ends
	beyond end   // nearest beyond, on the earlier request's path
	before int64 // tokens of all that the earlier request had sent; 0 when not reported
}

// note takes an end up to where sharing ends; the later ones come first.
func (f *reports) note(e end) {
	if e.tokens == 0 {
		return
	}
	if f.last.at == 0 {
		f.last = e
	}
	f.first = e
}

// Paced reports whether tokens were reported to this scope, or guessed.
func (s Shared) Paced() bool { return s.reports.pace.known }

// Calibrate returns the request's calibration, from the reports on the path that it shares
// with earlier ones. p is the path that s was found for.
func (s Shared) Calibrate(p Path) Calibration {
	f := s.reports
	factor := 1.0
	if f.first.at < f.last.at {
		factor = f.pace.factor(f.last.weight.minus(f.first.weight), f.last.tokens-f.first.tokens)
	}
	c := Calibration{known: f.pace.known}.With(Point{f.last.bytes, f.last.tokens})
	course := float64(f.last.tokens)
	if f.last.at > 0 {
		c.course = append(c.course, mark{f.last.bytes, course})
	}
	var shared Weight // behind the last report
	for n := f.last.at + 1; n <= p.Len(); n++ {
		w := p.weight(n)
		course += factor * f.pace.of(w)
		c.course = append(c.course, mark{p.Bytes(n), course})
		if n <= f.at {
			shared = shared.plus(w)
		}
	}
	if f.beyond.at == 0 || f.at == f.last.at {
		return c
	}
	// The earlier request says how much of its way from the last report to the next one is
	// behind it where this one leaves it.
	if whole := f.pace.of(f.beyond.weight.minus(f.last.weight)); whole > 0 {
		share := min(1, f.pace.of(shared)/whole)
		c = c.With(Point{p.Bytes(f.at), f.last.tokens + int64(share*float64(f.beyond.tokens-f.last.tokens)+0.5)})
	}
	return c
}
