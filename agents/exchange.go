package agents

import (
	"context"
	"errors"
	"time"
)

// Exchange is one client request of an agent being served: the holder of its lease, and
// the only writer of its history. Its methods return ErrFenced once the lease is lost.
// Each of them may be called again after an error: what it had already done stands.
//
// One goroutine uses it; Interrupted and Lost may be read by any.
type Exchange struct {
	Key   Key
	Agent *Agent // as of the last write; read only

	s           *Service
	seq         uint64             // of the lease
	stop        context.CancelFunc // ends renew; nil before it runs
	done        chan struct{}      // closed when renew has returned
	interrupted chan struct{}
	lost        chan struct{}
}

// Plan composes an upstream request: given the agent and what the next step boundary may
// take, it says where the history will stand. It is called again when the agent changed
// before the answer could be written, so it must not act.
//
// In Begin, a.Lease is nil, or the lease of an exchange that has recorded its answer and
// still delivers it. A plan that does not extend that answer returns ErrLeased: whether
// its request is a retry is not known yet.
type Plan func(a *Agent, pending []Pending) (Step, error)

// Begin takes the agent for an exchange and records its first step. ErrLeased when
// another exchange holds it (see Meet); ErrInterrupted, ErrNothingPending; ErrNotFound
// and ErrUnknownParent when the agent or its parent was deleted; the plan's errors as they
// are. A failed Begin sends nothing upstream and leaves no lease that is not let lapse.
func (s *Service) Begin(ctx context.Context, key Key, plan Plan) (*Exchange, error) {
	x := &Exchange{
		Key: key, s: s, done: make(chan struct{}),
		interrupted: make(chan struct{}), lost: make(chan struct{}),
	}
	// What the last activation still has to say comes before the next one.
	if _, err := s.flush(ctx, key); err != nil {
		return nil, err
	}
	err := x.plan(ctx, plan, func(a *Agent) error {
		if !s.leased(a) {
			a.Lease = nil
		} else if !a.Lease.Answered {
			return ErrLeased
		}
		return nil
	}, func(a *Agent, c *Change, step Step) error {
		now := time.Now()
		x.seq = c.Version
		return a.begin(step, Lease{Holder: s.Holder, Seq: x.seq, Until: now.Add(s.Lease).UnixMilli()}, c, now)
	})
	if err != nil {
		return nil, err
	}
	// Durable before told: the parent must list this activation before a provider hears
	// of it. A crash here leaves the intent in the outbox, and the next Begin flushes it.
	if len(x.Agent.Outbox) > 0 {
		if x.Agent, err = s.flush(ctx, key); err != nil {
			return nil, errors.Join(err, x.Close(context.WithoutCancel(ctx), false))
		}
	}
	// Renewals come by the clock: they are no part of the request, nor of its record.
	renewing, stop := context.WithCancel(context.Background())
	x.stop = stop
	go x.renew(renewing)
	return x, nil
}

// Next records the next step of the same exchange: the history so far, and what it
// takes from the inbox.
func (x *Exchange) Next(ctx context.Context, plan Plan) error {
	var tried uint64
	return x.plan(ctx, plan, func(a *Agent) error {
		if err := x.fence(a); err != nil {
			return err
		}
		if tried != 0 && a.Step == tried {
			return errUnchanged // the store lost its answer, not the write
		}
		return nil
	}, func(a *Agent, c *Change, step Step) error {
		tried = c.Version
		a.step(step, c.Version)
		x.keep(a)
		return nil
	})
}

// plan reads, admits, plans and commits until nothing came between.
func (x *Exchange) plan(ctx context.Context, plan Plan, admit func(*Agent) error, apply func(*Agent, *Change, Step) error) error {
	for {
		snap, err := x.s.Load(ctx, x.Key)
		if err != nil {
			return err
		}
		switch err := admit(snap.Agent); {
		case errors.Is(err, errUnchanged):
			x.Agent = snap.Agent
			return nil
		case err != nil:
			return err
		}
		step, err := x.compose(ctx, snap.Agent, plan)
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

// compose calls the plan until no reserved entry comes back: those that do are offered
// again, ahead of what came later.
func (x *Exchange) compose(ctx context.Context, a *Agent, plan Plan) (Step, error) {
	for {
		pending, err := x.s.texts(ctx, x.Key, a.unreserved())
		if err != nil {
			return Step{}, err
		}
		step, err := plan(a, pending)
		if err != nil || !a.release(step.Returned) {
			return step, err
		}
	}
}

// Accepted commits what the step took from the inbox: the provider has answered with
// success and a first event that is no error.
func (x *Exchange) Accepted(ctx context.Context) error {
	if x.Agent.Begun && len(x.Agent.Reserved) == 0 {
		return nil
	}
	var taken []Entry
	err := x.write(ctx, func(a *Agent, c *Change) error {
		taken = a.reserved()
		c.Drop = a.take()
		a.Begun = true
		a.Activity++
		return nil
	})
	if err == nil {
		now := time.Now()
		for _, e := range taken {
			x.s.Trace.delivered(e, now)
		}
	}
	return err
}

// Refused gives up the entries of a step whose request the provider would not take (400,
// 413, 422) but took without them: they leave the inbox and their senders are told.
// history stands without them.
func (x *Exchange) Refused(ctx context.Context, history History, put []Blob) error {
	err := x.write(ctx, func(a *Agent, c *Change) error {
		if len(a.Reserved) == 0 {
			return errUnchanged
		}
		a.report(SendRefused, c.Version, a.reserved())
		c.Drop = a.take()
		c.Put = put
		a.History = history
		a.Activity++
		return nil
	})
	if err == nil {
		x.s.tell(ctx, x.Key)
	}
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
		if a.Lease.Answered {
			return errUnchanged
		}
		if t.Over && t.Extend && a.extends() {
			over = false
			return errUnchanged
		}
		c.Put, c.Drop = t.Put, t.Drop
		a.History = t.History
		a.Begun = true
		a.Lease.Answered = true
		a.Alive = time.Now().UnixMilli()
		if t.Over {
			if t.Closing != "" {
				a.Closing = a.closingBlob()
				c.Put = append(c.Put[:len(c.Put):len(c.Put)], Blob{a.Closing, []byte(t.Closing)})
			}
			a.end(t.Outcome)
		}
		return nil
	})
	if err == nil && over {
		x.s.tell(ctx, x.Key)
	}
	return over, err
}

// Close gives the agent back. delivered says whether a recorded answer reached the client
// whole. Without a recorded answer everything stays as the last write left it, reserved
// entries included: the next request decides about them exactly as it would after a
// crash. Close always ends the renewals, also when the write fails.
func (x *Exchange) Close(ctx context.Context, delivered bool) error {
	x.quit()
	err := x.write(ctx, func(a *Agent, c *Change) error {
		if a.Lease.Answered {
			a.History.Delivered = delivered
		}
		a.Lease = nil
		a.Alive = time.Now().UnixMilli()
		if a.Stop != nil && a.Status == Running {
			a.end(Aborted)
		}
		return nil
	})
	if errors.Is(err, ErrFenced) {
		return nil // whoever fenced this exchange has decided
	}
	if err == nil {
		x.s.tell(ctx, x.Key)
	}
	return err
}

// write is update under the fence. It renews the lease: a holder that was silent for longer
// than that, with nobody to decide anything because of it, holds the agent again.
func (x *Exchange) write(ctx context.Context, transition func(a *Agent, c *Change) error) error {
	snap, err := x.s.update(ctx, x.Key, func(a *Agent, c *Change) error {
		if err := x.fence(a); err != nil {
			return err
		}
		if err := transition(a, c); err != nil {
			return err
		}
		x.keep(a)
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return ErrFenced // deleted
	}
	if err == nil {
		x.Agent = snap.Agent
	}
	return err
}

// keep renews the lease, unless the exchange gives it back.
func (x *Exchange) keep(a *Agent) {
	if a.Lease != nil {
		a.Lease.Until = time.Now().Add(x.s.Lease).UnixMilli()
	}
}

func (x *Exchange) fence(a *Agent) error {
	if a.Lease == nil || a.Lease.Holder != x.s.Holder || a.Lease.Seq != x.seq {
		return ErrFenced
	}
	return nil
}
