package agents

import (
	"context"
	"errors"
	"fmt"
)

// Interrupt asks target's open turn to stop, as the exchange's agent: any live ancestor
// may. A target that does not exist or has no open turn is an accepted no-op. A
// *RefusedError is a result for the model.
func (x *Exchange) Interrupt(ctx context.Context, target string) error {
	refuse := func(format string, args ...any) error {
		return &RefusedError{Reason: NotPermitted, Target: target, Text: fmt.Sprintf(format, args...)}
	}
	if _, err := x.held(ctx); err != nil {
		return err
	}
	if target == x.Agent.ID {
		return refuse("an agent cannot interrupt itself")
	}
	if CheckID(target) != nil {
		return nil // no such agent can exist: nothing to stop
	}
	t, err := x.s.Load(ctx, Key{x.Key.Tenant, target})
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case errors.Is(err, ErrUnreadable):
		return refuse("the record of agent %s cannot be read", target)
	case err != nil:
		return err
	}
	if ok, err := x.s.descends(ctx, t.Agent, x.Key); err != nil {
		return err
	} else if !ok {
		return refuse("agent %s is not one of your descendants", target)
	}
	if err := x.s.Stop(ctx, t.Key); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// Stop interrupts an agent's open turn on the operator's word: the exchange that serves
// it ends as soon as it hears, and without one the turn ends here.
func (s *Service) Stop(ctx context.Context, key Key) error {
	_, err := s.update(ctx, key, func(a *Agent, _ *Change) error {
		if !a.interrupt(s.leased(a)) {
			return errUnchanged
		}
		return nil
	})
	if err == nil {
		s.tell(ctx, key)
	}
	return err
}

// descends reports whether ancestor is above a, walking the durable parents.
func (s *Service) descends(ctx context.Context, a *Agent, ancestor Key) (bool, error) {
	for a.Parent != "" && a.Parent != ancestor.ID {
		up, err := s.Load(ctx, Key{ancestor.Tenant, a.Parent})
		if errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnreadable) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		a = up.Agent
	}
	return a.Parent == ancestor.ID && ancestor.ID != "", nil
}
