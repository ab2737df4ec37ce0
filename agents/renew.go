package agents

import (
	"context"
	"errors"
	"time"
)

// Interrupted is closed when somebody interrupts the exchange's turn.
func (x *Exchange) Interrupted() <-chan struct{} { return x.interrupted }

// Lost is closed when another exchange has taken the agent over, or it was deleted.
func (x *Exchange) Lost() <-chan struct{} { return x.lost }

// renew keeps the lease while the exchange lives, and watches for interrupts and for the
// loss of the lease: at every hint, and at every renewal in case hints are lost.
func (x *Exchange) renew(ctx context.Context) {
	defer close(x.done)
	tick := time.NewTicker(x.s.Lease / 5)
	defer tick.Stop()
	for told, due := false, false; ; {
		changed := x.s.Changed(x.Key)
		switch a, err := x.held(ctx); {
		case errors.Is(err, ErrFenced):
			close(x.lost)
			return
		case err == nil && a.Stop != nil && !told:
			told = true
			close(x.interrupted)
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-tick.C:
			due = true
		}
		// Of what has come by now the end goes first, then the renewal, then a hint: select
		// would draw lots, and no run could be repeated.
		select {
		case <-tick.C:
			due = true
		default:
		}
		if ctx.Err() != nil {
			return
		}
		if !due {
			continue
		}
		due = false
		// Errors are not fatal here: the next write finds out.
		_, _ = x.s.update(ctx, x.Key, func(a *Agent, c *Change) error {
			if err := x.fence(a); err != nil {
				return err
			}
			x.keep(a)
			return nil
		})
	}
}

// held reads the agent as its holder. ErrFenced when the exchange is that no more.
func (x *Exchange) held(ctx context.Context) (*Agent, error) {
	snap, err := x.s.Load(ctx, x.Key)
	if errors.Is(err, ErrNotFound) {
		return nil, ErrFenced
	} else if err != nil {
		return nil, err
	}
	return snap.Agent, x.fence(snap.Agent)
}

// quit ends the renewals.
func (x *Exchange) quit() {
	if x.stop != nil {
		x.stop()
		<-x.done
	}
}
