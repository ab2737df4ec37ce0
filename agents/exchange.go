package agents

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Exchange is one client request of an agent being served: the holder of its lease, and
// the only writer of its history. Its methods return ErrFenced once the lease is lost.
//
// One goroutine uses it; Interrupted and Lost may be read by any.
type Exchange struct {
	Key   Key
	Agent *Agent // as of the last write; read only

	s      *Service
	seq    uint64
	stop   context.CancelFunc
	done   chan struct{}
	events struct {
		sync.Once
		interrupted chan struct{}
	}
	lost     chan struct{}
	lostOnce sync.Once
}

// Plan composes an upstream request: given the agent and what the next step boundary may
// take, it says where the history will stand. It is called again when the agent changed
// before the answer could be written, so it must not act.
type Plan func(a *Agent, pending []Pending) (Step, error)

// Begin takes the agent for an exchange and records its first step. ErrLeased when
// another exchange holds it (see Wait); ErrInterrupted, ErrNothingPending; the plan's
// errors as they are. A failed Begin has changed nothing.
func (s *Service) Begin(ctx context.Context, key Key, plan Plan) (*Exchange, error) {
	x := &Exchange{Key: key, s: s, done: make(chan struct{}), lost: make(chan struct{})}
	x.events.interrupted = make(chan struct{})
	if _, err := s.flush(ctx, key); err != nil {
		return nil, err
	}
	err := x.plan(ctx, plan, func(a *Agent, c *Change, step Step) error {
		now := time.Now()
		if a.Leased(now, s.Holder, s.Store.Exclusive()) && !a.Lease.Answered {
			return ErrLeased
		}
		x.seq = a.Step + 1
		return a.begin(step, Lease{Holder: s.Holder, Seq: x.seq, Until: now.Add(s.Lease).UnixMilli()}, now)
	})
	if err != nil {
		return nil, err
	}
	// Durable before told: the parent must list this activation before a provider hears
	// of it. A crash here leaves the intent in the outbox, and the next Begin flushes it.
	if x.Agent, err = s.flush(ctx, key); err != nil {
		return nil, errors.Join(err, x.Close(context.WithoutCancel(ctx), false))
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	x.stop = stop
	go x.renew(renewing)
	return x, nil
}

// Next records the next step of the same exchange: the history so far, and what it
// takes from the inbox.
func (x *Exchange) Next(ctx context.Context, plan Plan) error {
	return x.plan(ctx, plan, func(a *Agent, c *Change, step Step) error {
		if err := x.fence(a); err != nil {
			return err
		}
		a.step(step)
		return nil
	})
}

// plan reads, plans and commits until nothing came between.
func (x *Exchange) plan(ctx context.Context, plan Plan, apply func(*Agent, *Change, Step) error) error {
	for {
		snap, err := x.s.Load(ctx, x.Key)
		if err != nil {
			return err
		}
		pending, err := x.s.texts(ctx, x.Key, snap.unreserved())
		if err != nil {
			return err
		}
		step, err := plan(snap.Agent, pending)
		if err != nil {
			return err
		}
		snap, err = x.s.commit(ctx, snap, func(a *Agent, c *Change) error {
			c.Put, c.Drop = step.Put, step.Drop
			return apply(a, c, step)
		})
		if err == nil {
			x.Agent = snap.Agent
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// Accepted commits what the step took from the inbox: the provider has answered with
// success and a first event that is no error. Without a reservation it writes nothing.
func (x *Exchange) Accepted(ctx context.Context) error {
	if len(x.Agent.Reserved) == 0 {
		return nil
	}
	return x.write(ctx, func(a *Agent, c *Change) error {
		for _, e := range a.Inbox {
			if slices.Contains(a.Reserved, e.ID) {
				x.s.Trace.delivered(e, time.Now())
			}
		}
		c.Drop = a.take()
		a.Begun = true
		a.Activity++
		return nil
	})
}

// Refused returns the entries of the step whose request the provider would not take
// (400, 413, 422): they leave the inbox and their senders are told. history stands
// without them.
func (x *Exchange) Refused(ctx context.Context, history History, put []Blob) error {
	err := x.write(ctx, func(a *Agent, c *Change) error {
		for _, e := range a.Inbox {
			if slices.Contains(a.Reserved, e.ID) && e.Kind == Message && e.Via == "" {
				a.Outbox = append(a.Outbox, Intent{Kind: SendRefused, To: e.From, ID: e.ID})
			}
		}
		c.Drop = a.take()
		c.Put = put
		a.History = history
		a.Activity++
		return nil
	})
	if err != nil {
		return err
	}
	_, err = x.s.flush(ctx, x.Key)
	return err
}

// Record moves the history: an answer, or the results of executed calls.
func (x *Exchange) Record(ctx context.Context, history History, put []Blob, drop []string) error {
	return x.write(ctx, func(a *Agent, c *Change) error {
		a.History = history
		a.Begun = true
		c.Put, c.Drop = put, drop
		return nil
	})
}

// Turn is how an exchange's answer leaves the turn.
type Turn struct {
	History History
	Put     []Blob
	Drop    []string
	// Over: the answer has no calls left. False: the client has calls to execute, and
	// the turn stays open.
	Over    bool
	Outcome Outcome
	Closing string // text of the answer, kept for the notice
	// Extend: pending entries may still be read in this turn.
	Extend bool
}

// Answered records the answer that ends the exchange's response, before the client sees
// its end. It returns false, and has changed nothing, when entries are pending that this
// turn still reads: then the exchange goes on with Next.
func (x *Exchange) Answered(ctx context.Context, t Turn) (over bool, err error) {
	err = x.write(ctx, func(a *Agent, c *Change) error {
		over = true
		if t.Over {
			if over = a.end(t.Outcome, t.Extend); !over {
				return errUnchanged
			}
			if a.Closing = t.Closing != ""; a.Closing {
				c.Put = append(c.Put, Blob{a.ClosingBlob(), []byte(t.Closing)})
			}
		}
		a.History = t.History
		a.Begun = true
		a.Lease.Answered = true
		c.Put = append(c.Put, t.Put...)
		c.Drop = t.Drop
		a.Alive = time.Now().UnixMilli()
		return nil
	})
	if err == nil && over {
		_, err = x.s.flush(ctx, x.Key)
	}
	return over, err
}

// Close gives the agent back. delivered says whether a recorded answer reached the client
// whole. Without a recorded answer everything stays as the last write left it, reserved
// entries included: the next request decides about them exactly as it would after a
// crash. Close always ends the renewals, also when the write fails.
func (x *Exchange) Close(ctx context.Context, delivered bool) error {
	if x.stop != nil {
		x.stop()
		<-x.done
	}
	err := x.write(ctx, func(a *Agent, c *Change) error {
		if a.Lease.Answered {
			a.History.Delivered = delivered
		}
		a.Lease = nil
		a.Alive = time.Now().UnixMilli()
		if a.Stop != nil && a.Stop.Turn == a.Turn && a.Status == Running {
			a.Reserved = nil
			a.end(Aborted, false)
		}
		a.Activity++
		return nil
	})
	if errors.Is(err, ErrFenced) {
		return nil // whoever fenced this exchange has decided
	}
	if err == nil && len(x.Agent.Outbox) > 0 {
		_, err = x.s.flush(ctx, x.Key)
	}
	return err
}

// Interrupted is closed when somebody interrupts the exchange's turn.
func (x *Exchange) Interrupted() <-chan struct{} { return x.events.interrupted }

// Lost is closed when another exchange has taken the agent over.
func (x *Exchange) Lost() <-chan struct{} { return x.lost }

// write is update under the fence.
func (x *Exchange) write(ctx context.Context, transition func(a *Agent, c *Change) error) error {
	snap, err := x.s.update(ctx, x.Key, func(a *Agent, c *Change) error {
		if err := x.fence(a); err != nil {
			return err
		}
		return transition(a, c)
	})
	if err == nil {
		x.Agent = snap.Agent
	}
	return err
}

func (x *Exchange) fence(a *Agent) error {
	if a.Lease == nil || a.Lease.Holder != x.s.Holder || a.Lease.Seq != x.seq {
		return ErrFenced
	}
	return nil
}

// renew keeps the lease while the exchange lives, and watches for interrupts and for the
// loss of the lease: at every hint, and at every renewal in case hints are lost.
func (x *Exchange) renew(ctx context.Context) {
	defer close(x.done)
	tick := time.NewTicker(x.s.Lease / 5)
	defer tick.Stop()
	for {
		changed := x.s.Changed(x.Key)
		snap, err := x.s.Load(ctx, x.Key)
		if err == nil {
			if x.fence(snap.Agent) != nil {
				x.lostOnce.Do(func() { close(x.lost) })
				return
			}
			if st := snap.Stop; st != nil && st.Turn == snap.Turn {
				x.events.Do(func() { close(x.events.interrupted) })
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
			continue
		case <-tick.C:
		}
		// Errors are not fatal here: the next write finds out.
		_, _ = x.s.update(ctx, x.Key, func(a *Agent, c *Change) error {
			if err := x.fence(a); err != nil {
				return err
			}
			a.Lease.Until = time.Now().Add(x.s.Lease).UnixMilli()
			return nil
		})
	}
}
