package agents

import (
	"slices"
	"time"
)

// Step is what an exchange writes before it sends a request to the provider: where the
// history will stand, and which inbox entries stand in it from now on.
type Step struct {
	History History
	Put     []Blob
	Drop    []string
	// Claim is how many of the pending entries offered to the plan now stand in History.
	Claim int
	// Returned are the ids of reserved entries that no longer stand in History, because
	// the client's history moved back before them.
	Returned []string
	// Prompt: the request brings a new user item, so it opens a turn.
	Prompt bool
	// Wake: the request brings nothing; it is there to fetch what is pending.
	Wake bool
}

// begin gives the exchange the agent and opens an activation and a turn where none is
// open. The caller has seen that no lease is in the way.
func (a *Agent) begin(s Step, lease Lease, now time.Time) error {
	if s.Wake && len(a.Inbox) == 0 {
		return ErrNothingPending
	}
	if st := a.Stop; st != nil && st.Turn == a.Turn && !s.Prompt && !s.Wake && !st.Message {
		return ErrInterrupted
	}
	if a.Status == Ready {
		a.Epoch++
		if a.Parent != "" {
			a.Outbox = append(a.Outbox, Intent{Kind: ChildStarted, To: a.Parent, Epoch: a.Epoch})
		}
	}
	if a.Status != Running || s.Prompt || a.Stop != nil {
		a.Turn++
		a.Stop = nil
	}
	a.Status = Running
	a.Lease = &lease
	a.Alive = now.UnixMilli()
	a.Activity++
	a.step(s)
	return nil
}

// step records the next upstream request of the exchange that holds the agent.
func (a *Agent) step(s Step) {
	a.Step++
	a.History = s.History
	a.Reserved = slices.DeleteFunc(a.Reserved, func(id string) bool { return slices.Contains(s.Returned, id) })
	for _, e := range a.unreserved()[:s.Claim] {
		a.Reserved = append(a.Reserved, e.ID)
	}
}

// unreserved returns the pending entries of the next step boundary that stand nowhere yet.
func (a *Agent) unreserved() []Entry {
	var out []Entry
	for _, e := range a.boundary() {
		if !slices.Contains(a.Reserved, e.ID) {
			out = append(out, e)
		}
	}
	return out
}

// end closes the turn after an answer without calls, unless something is pending and may
// still be read in this turn (extend): then it returns false and nothing changes. It is
// one decision with the acceptance of messages: both are commits to this record, so a
// message is either here already, or finds the turn over.
func (a *Agent) end(outcome Outcome, extend bool) bool {
	if extend && len(a.unreserved()) > 0 && a.Stop == nil {
		return false
	}
	a.Status = Idle
	a.Outcome = outcome
	a.Activity++
	a.settle(outcome)
	return true
}

// settle ends the activation of a child whose turn is over, when nothing is left for it:
// no live child, nothing reserved, and nothing in the inbox, save what an interrupt or
// the end of its residency parked (outcome aborted). The parent gets exactly one notice.
func (a *Agent) settle(outcome Outcome) {
	if a.Parent == "" || a.Status != Idle || len(a.Children) > 0 || len(a.Reserved) > 0 {
		return
	}
	if len(a.Inbox) > 0 && outcome != Aborted {
		return
	}
	a.Status = Ready
	a.Outcome = outcome
	a.Outbox = append(a.Outbox, Intent{
		Kind: ChildSettled, To: a.Parent, Epoch: a.Epoch, Turn: a.Turn,
		Outcome: outcome, Silent: a.Notify == NotifyNone,
	})
}

// interrupt stops the open turn: pending entries stay, descendants run on. Without an
// open turn it is a no-op. Without an exchange to end it the turn ends here.
func (a *Agent) interrupt(leased bool) (stopped bool) {
	if a.Status != Running {
		return false
	}
	if a.Stop != nil && a.Stop.Turn == a.Turn {
		return true // asked before
	}
	a.Stop = &Stop{Turn: a.Turn}
	a.Activity++
	if !leased {
		a.Reserved = nil // they stay pending, in order
		a.end(Aborted, false)
	}
	return true
}

// expire ends what its client left: a child's turn or residency that saw no request for
// residency, a root's liveness after rootTTL without a live child. It reports a change.
func (a *Agent) expire(now time.Time, leased bool, residency, rootTTL time.Duration) bool {
	quiet := time.Duration(now.UnixMilli()-a.Alive) * time.Millisecond
	if leased || !a.Live() {
		return false
	}
	if a.Parent == "" {
		if quiet <= rootTTL || len(a.Children) > 0 {
			return false
		}
		a.Status = Ready
		a.Activity++
		return true
	}
	if quiet <= residency || len(a.Children) > 0 && a.Status == Idle {
		return false
	}
	a.Lease, a.Reserved = nil, nil
	if a.Status == Running {
		a.end(Aborted, false)
		return true
	}
	a.settle(Aborted)
	return a.Status == Ready
}
