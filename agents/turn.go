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
	// the client's history moved back before them. They are pending again at once: the
	// plan is asked again, with them offered first.
	Returned []string
	// Prompt: the request brings a new user item, so it opens a turn.
	Prompt bool
	// Wake: the request brings nothing; it is there to fetch what is pending.
	Wake bool
}

// begin gives the exchange the agent and opens an activation and a turn where none is
// open. The caller has seen that no lease is in the way.
func (a *Agent) begin(s Step, lease Lease, c *Change, now time.Time) error {
	if s.Wake && len(a.Inbox) == 0 {
		return ErrNothingPending
	}
	if a.Stop != nil && !a.Stop.Message && !s.Prompt && !s.Wake {
		return ErrInterrupted
	}
	if a.Status == Ready {
		a.Epoch++
		a.Opened = c.Version
		if a.Parent != "" {
			a.Outbox = append(a.Outbox, Intent{Kind: ChildStarted, To: a.Parent, Opened: a.Opened})
		}
	}
	if a.Status != Running || a.Stop != nil || s.Prompt {
		a.Turn++
		a.Stop = nil
		if a.Closing != "" && !slices.ContainsFunc(a.Outbox, func(in Intent) bool { return in.Closing == a.Closing }) {
			c.Drop = append(slices.Clone(c.Drop), a.Closing)
		}
		a.Closing = ""
	}
	a.Status = Running
	a.Lease = &lease
	a.Alive = now.UnixMilli()
	a.Activity++
	a.step(s, c.Version)
	return nil
}

// step records the next upstream request of the exchange that holds the agent.
func (a *Agent) step(s Step, version uint64) {
	a.Step = version
	a.History = s.History
	for _, e := range a.unreserved()[:s.Claim] {
		a.Reserved = append(a.Reserved, e.ID)
	}
}

// release makes reserved entries pending again. Those that are returned stand behind
// those that are not, so the order of the inbox stays the order of delivery.
func (a *Agent) release(ids []string) (changed bool) {
	had := len(a.Reserved)
	a.Reserved = slices.DeleteFunc(a.Reserved, func(id string) bool { return slices.Contains(ids, id) })
	return len(a.Reserved) != had
}

// extends reports whether something is pending that the open turn still reads. Asking
// and ending the turn are one commit, as is the acceptance of a message: so a message
// is either here already, or finds the turn over.
func (a *Agent) extends() bool { return a.Stop == nil && len(a.Inbox) > len(a.Reserved) }

// end closes the turn. A turn that was asked to stop ends as aborted, whatever its answer
// came to: what was sent to it since is parked, and waits for the next one.
func (a *Agent) end(outcome Outcome) {
	if a.Stop != nil {
		outcome = Aborted
	}
	a.Status = Idle
	a.Outcome = outcome
	a.Activity++
	a.settle(outcome)
}

// settle ends the activation of a child whose turn is over, when nothing is left for it:
// no live child and nothing in the inbox, reserved entries included, save what an
// interrupt or the end of its residency parked (outcome aborted). The parent gets exactly
// one notice.
func (a *Agent) settle(outcome Outcome) {
	if a.Parent == "" || a.Status != Idle || len(a.Children) > 0 {
		return
	}
	if len(a.Inbox) > 0 && outcome != Aborted {
		return
	}
	a.Status = Ready
	a.Outcome = outcome
	a.Activity++
	a.happened(Event{Seq: a.Activity, Epoch: a.Epoch, Outcome: outcome})
	a.Outbox = append(a.Outbox, a.settlement(outcome))
}

// settlement is the intent that tells the parent of the activation's end.
func (a *Agent) settlement(outcome Outcome) Intent {
	return Intent{
		Kind: ChildSettled, To: a.Parent, Opened: a.Opened, Seq: a.Step,
		Outcome: outcome, Closing: a.Closing, Silent: a.Notify == NotifyNone,
	}
}

// interrupt stops the open turn: pending entries stay, descendants run on. Without an
// open turn, or when asked before, it changes nothing. Without an exchange that would end
// the turn it ends here, and a holder whose lease has lapsed is fenced.
func (a *Agent) interrupt(leased bool) (changed bool) {
	if a.Status != Running || a.Stop != nil {
		return false
	}
	a.Stop = &Stop{Turn: a.Turn}
	a.Activity++
	if !leased {
		a.Lease = nil
		a.end(Aborted)
	}
	return true
}

// expire ends what its client left: an open turn after residency, and an interrupted one
// at once when no exchange is left to end it; then a child's activation after residency,
// and a root's after rootTTL without a live child.
func (a *Agent) expire(now time.Time, leased bool, residency, rootTTL time.Duration) (changed bool) {
	if leased || !a.Live() {
		return false
	}
	quiet := now.Sub(time.UnixMilli(a.Alive))
	if a.Status == Running && (quiet > residency || a.Stop != nil) {
		a.Lease = nil
		a.end(Aborted)
		changed = true
	}
	switch {
	case a.Status != Idle || len(a.Children) > 0:
	case a.Parent != "" && quiet > residency:
		a.settle(Aborted)
		changed = true
	case a.Parent == "" && quiet > rootTTL:
		a.Status = Ready
		a.Activity++
		changed = true
	}
	if changed {
		a.Lease = nil
	}
	return changed
}
