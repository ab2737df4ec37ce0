package agents

import (
	"context"
	"errors"
	"time"
)

// Rollback ends an exchange whose agent has never had a request accepted: the child is
// gone, its parent hears nothing, and its client may come again. One that somebody has
// created, written to, or registered an agent under, stays in the store, not live. For a
// root, or an agent that has had a request accepted, it is Close.
func (x *Exchange) Rollback(ctx context.Context) error {
	if a := x.Agent; a.Parent == "" || a.Begun || len(a.Children) > 0 {
		return x.Close(ctx, false)
	}
	x.quit()
	// Who registers a child under it writes to it first: as long as it is what it was before
	// the tree was read, nobody has.
	before, err := x.s.Load(ctx, x.Key)
	if errors.Is(err, ErrNotFound) {
		return nil // deleted
	} else if err != nil {
		return err
	}
	t, err := x.s.tree(ctx, Key{x.Key.Tenant, x.Agent.Root})
	if err != nil {
		return err
	}
	leaf := len(t.under[x.Key.ID]) == 0
	err = x.write(ctx, func(a *Agent, c *Change) error {
		a.Lease = nil
		a.Alive = time.Now().UnixMilli()
		a.Activity++
		if len(a.Children) > 0 {
			return nil
		}
		end := a.settlement("")
		end.Silent = true
		a.Outbox = append(a.Outbox, end)
		a.Status = Ready
		if leaf && c.Version == before.Version && len(a.Inbox) == 0 && !a.Ahead {
			a.doom(c.Version)
		}
		return nil
	})
	switch {
	case errors.Is(err, ErrFenced):
		return nil // whoever fenced this exchange has decided
	case err != nil:
		return err
	case x.Agent.Ending:
		return x.s.finish(ctx, x.Key)
	}
	x.s.tell(ctx, x.Key)
	return nil
}
