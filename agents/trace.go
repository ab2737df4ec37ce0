package agents

import "time"

// Trace is a set of optional hooks, called synchronously after the fact; they must not
// block and must not call back.
type Trace struct {
	// Sent is told of each message, notice and report: accepted with its route, or
	// refused with the reason.
	Sent func(kind EntryKind, route Route, refused Reason)
	// Delivered is told of each entry that a provider has accepted, and how long after
	// its own acceptance.
	Delivered func(kind EntryKind, waited time.Duration)
	// Settled is told of each activation that ended.
	Settled func(Outcome)
}

func (t Trace) sent(kind EntryKind, route Route, refused Reason) {
	if t.Sent != nil {
		t.Sent(kind, route, refused)
	}
}

func (t Trace) delivered(e Entry, now time.Time) {
	if t.Delivered != nil {
		t.Delivered(e.Kind, now.Sub(time.UnixMilli(e.At)))
	}
}

func (t Trace) settled(o Outcome) {
	if t.Settled != nil && o != "" { // "": rolled back, it never was
		t.Settled(o)
	}
}
