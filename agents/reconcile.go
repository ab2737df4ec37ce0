package agents

import (
	"context"
	"errors"
	"slices"
)

// reconcile unlists activations that are over and have nothing left to say. A process
// that is late with a start may list one again after it settled; an activation that has
// ended never opens again, so what is found here stays true.
func (s *Service) reconcile(ctx context.Context, key Key) error {
	snap, err := s.Load(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	over := map[string]uint64{} // child → epoch
	for id, epoch := range snap.Children {
		child, err := s.load(ctx, Key{key.Tenant, id})
		switch {
		case errors.Is(err, ErrNotFound):
			over[id] = epoch
		case errors.Is(err, ErrUnreadable):
		case err != nil:
			return err
		case child.over(epoch):
			over[id] = epoch
		}
	}
	if len(over) == 0 {
		return nil
	}
	_, err = s.update(ctx, key, func(a *Agent, _ *Change) error {
		changed := false
		for id, epoch := range over {
			changed = a.childSettled(id, epoch, nil) || changed
		}
		if !changed {
			return errUnchanged
		}
		return nil
	})
	if err == nil {
		s.tell(ctx, key)
	}
	return err
}

// over reports whether the activation has ended and its parent was told.
func (a *Agent) over(epoch uint64) bool {
	if a.Epoch == epoch && a.Live() {
		return false
	}
	return !slices.ContainsFunc(a.Outbox, func(in Intent) bool { return in.Kind == ChildSettled && in.Epoch == epoch })
}
