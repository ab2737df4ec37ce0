package agents

import (
	"context"
	"errors"
)

// Rollback ends an exchange whose agent has never had a request accepted: the child is
// gone, its parent hears nothing, and its client may come again. A child that somebody
// has written to meanwhile stays. For an agent that has had one it is Close.
func (x *Exchange) Rollback(ctx context.Context) error {
	if a := x.Agent; a.Parent == "" || a.Begun || len(a.Inbox) > 0 || len(a.Children) > 0 {
		return x.Close(ctx, false)
	}
	x.stop()
	<-x.done
	err := x.write(ctx, func(a *Agent, _ *Change) error {
		a.Lease = nil
		if len(a.Inbox) > 0 || len(a.Children) > 0 {
			return nil
		}
		a.Status = Ready
		a.Outbox = append(a.Outbox, Intent{Kind: ChildSettled, To: a.Parent, Epoch: a.Epoch, Silent: true})
		return nil
	})
	if err != nil || x.Agent.Status != Ready {
		return err
	}
	if _, err := x.s.flush(ctx, x.Key); err != nil {
		return err
	}
	snap, err := x.s.Load(ctx, x.Key)
	if errors.Is(err, ErrNotFound) || err == nil && len(snap.Inbox) > 0 {
		return nil
	} else if err != nil {
		return err
	}
	switch err := x.s.Store.Delete(ctx, x.Key, snap.Version); {
	case errors.Is(err, ErrConflict):
		return nil // somebody has written to it: it stays, ready
	case err != nil:
		return err
	}
	return x.s.Store.Strike(ctx, Key{x.Key.Tenant, x.Agent.Root}, x.Key.ID)
}
