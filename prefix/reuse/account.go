package reuse

import (
	"time"

	"trunkline/prefix"
)

// Basis is what a request shares with earlier ones, in tokens, as the rules of
// a provider need it.
type Basis struct {
	Prompt   int64         // of the whole request; 0 when unknown
	Shared   int64         // longest prefix that was sent before
	Warm     int64         // of it, what the provider has read whole
	Boundary int64         // of it, up to the last point where the provider may have ended an entry
	Age      time.Duration // since the prefix was last covered
}

// Expected returns how many tokens a provider with these rules should read from
// its cache, and what cut most of the shared ones away: a rule, CauseColdStart
// when the requests that sent them are still unanswered, CauseNone when only the
// granularity did.
func (r Rules) Expected(b Basis) (tokens int64, cut prefix.Cause) {
	shared := b.Shared
	if b.Prompt > 0 {
		shared = min(shared, b.Prompt-1) // the last token is always read: its output is what is asked for
	}
	switch {
	case shared <= 0:
		return 0, prefix.CauseNone
	case r.Lifetime > 0 && b.Age > r.Lifetime:
		return 0, prefix.CauseTTLExpiry
	case shared < r.Minimum:
		return 0, prefix.CauseBelowMinimum
	}
	tokens = min(shared, b.Warm)
	if r.Boundary == BoundaryUnit || r.Boundary == BoundaryBreakpoint {
		tokens = min(tokens, b.Boundary)
	}
	tokens -= tokens % max(1, r.Granularity)
	if tokens < max(1, r.Minimum) {
		tokens = 0
	}
	switch missed := shared - tokens; {
	case missed < r.slack(shared):
		return tokens, prefix.CauseNone
	case shared-b.Warm > missed/2:
		return tokens, prefix.CauseColdStart
	case r.Boundary == BoundaryUnit || r.Boundary == BoundaryBreakpoint:
		return tokens, prefix.CauseNoBoundary
	default:
		return tokens, prefix.CauseBelowMinimum
	}
}

// slack is how many tokens a figure may be off before the difference means
// something: one step of the provider's count, or one per cent, which is what
// the calibration promises.
func (r Rules) slack(tokens int64) int64 { return max(1, r.Granularity, tokens/100) }

// A Loss is a number of prompt tokens that were not read from a cache, and why.
type Loss struct {
	Cause  prefix.Cause
	Tokens int64
}

// An Account says of one request what was reused, in tokens.
// 0 ≤ Expected ≤ Shared ≤ Prompt.
type Account struct {
	Prompt   int64        // reported, else estimated
	Shared   int64        // sent before, by this tenant, to this provider and model
	Expected int64        // of Shared, what the provider's rules let it keep
	Reported prefix.Count // what the provider said that it read
	Losses   []Loss
	Cause    prefix.Cause // of the largest loss; CauseNone without one
}

// Shortfall returns how many of the expected tokens the provider did not
// report as read; 0 when it reported nothing at all.
func (a Account) Shortfall() int64 {
	if !a.Reported.Known {
		return 0
	}
	return max(0, a.Expected-a.Reported.N)
}

// Account compares what a request shared, as Look and Explain found it, with
// what the provider reported. The losses are disjoint, in the order in which
// they arise: what broke the prefix, then what the provider's rules cut off,
// then what it should have read and did not. What was read is not lost, however
// little of it was expected; and what a rule cuts off only because the prefix
// broke ahead of the next point where the provider caches is lost to the break.
func (r Rules) Account(p Path, s Shared, b Break, u prefix.Usage) Account {
	calibration := s.Calibrate(p)
	tokens := func(bytes int64) int64 { n, _ := calibration.Tokens(bytes); return n }
	total := p.Bytes(p.Len())
	out := Account{Prompt: u.Prompt.N, Reported: u.Cached}
	if u.Prompt.Known {
		// This request's own report is the best point there is beyond what is
		// shared, and the only one of a lineage that starts.
		calibration = calibration.With(Point{total, u.Prompt.N})
	}
	if !u.Prompt.Known {
		out.Prompt = tokens(total)
	}
	within := int64(b.Within)
	out.Shared = min(tokens(s.Bytes+within), out.Prompt)
	warm := s.Warm
	if warm == s.Bytes {
		warm += within
	}

	var cut prefix.Cause
	out.Expected, cut = r.Expected(Basis{
		Prompt:   out.Prompt,
		Shared:   out.Shared,
		Warm:     tokens(warm),
		Boundary: tokens(r.boundary(p, s)),
		Age:      s.Age,
	})

	lose := func(cause prefix.Cause, n int64) {
		if cause == prefix.CauseNone || n <= r.slack(out.Prompt) {
			return
		}
		out.Losses = append(out.Losses, Loss{cause, n})
	}
	kept := out.Expected
	if out.Reported.Known {
		kept = max(kept, out.Reported.N) // a provider that keeps more than its rules promise
	}
	cutAway := out.Shared - kept
	if b.Cause != prefix.CauseNone && b.Cause != prefix.CauseColdStart { // those had nothing to lose
		before := s.reports.before
		if before == 0 {
			before = tokens(s.Before)
		}
		before = min(before, out.Prompt)
		broken := before - max(out.Shared, kept)
		byRule := cut == prefix.CauseNoBoundary || cut == prefix.CauseBelowMinimum
		if byRule && broken > r.slack(out.Prompt) && r.whole(p, s, before, out.Prompt) > out.Shared {
			broken, cutAway = broken+cutAway, 0
		}
		lose(b.Cause, broken)
	}
	lose(cut, cutAway)
	switch {
	case out.Reported.Known:
		lose(prefix.CauseRouting, out.Shortfall())
	case out.Expected > 0: // all of it, since nothing was counted that could be off
		out.Losses = append(out.Losses, Loss{prefix.CauseUnreported, out.Expected})
	}
	out.Cause = prefix.CauseNone
	if b.Cause == prefix.CauseColdStart {
		out.Cause = prefix.CauseColdStart
	}
	var most int64
	for _, l := range out.Losses {
		if l.Tokens > most {
			out.Cause, most = l.Cause, l.Tokens
		}
	}
	return out
}

// whole returns how many tokens the provider should have read of the prompt, had it begun
// with all that the earlier request sent: before.
func (r Rules) whole(p Path, s Shared, before, prompt int64) int64 {
	b := Basis{Prompt: prompt, Shared: before, Warm: before, Boundary: before, Age: s.Age}
	if r.Boundary == BoundaryBreakpoint && !r.atEnd(p) && (len(p.marks) == 0 || p.marks[len(p.marks)-1] <= s.Parts) {
		b.Boundary = 0 // this request sets no marker there, so the earlier one is taken to have set none
	}
	tokens, _ := r.Expected(b)
	return tokens
}

// boundary returns the bytes up to the last point, within what is shared, where
// a cache entry can end.
func (r Rules) boundary(p Path, s Shared) int64 {
	switch {
	case r.Boundary != BoundaryBreakpoint:
		return s.Sent
	case r.atEnd(p):
		return max(s.Asked, s.Marked) // markers stand beside the implicit one
	}
	return s.Marked
}

// atEnd reports whether a breakpoint is set at the end of a request like p by itself.
func (r Rules) atEnd(p Path) bool { return r.Implicit && !explicitOnly(p.head) }
