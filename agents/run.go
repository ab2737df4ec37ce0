package agents

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Run listens for changes made by other processes and sweeps, until ctx ends. Nothing
// depends on it for correctness: hints only shorten waits, and what a sweep carries out
// the next request carries out too.
func (s *Service) Run(ctx context.Context) error {
	watching := make(chan error, 1)
	go func() { watching <- s.Store.Watch(ctx, s.signal) }()
	every := min(s.Residency, s.RootTTL, s.Retention, 4*time.Minute) / 4
	tick := time.NewTicker(max(every, 10*time.Millisecond))
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("sweep of the agents failed; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			if err := <-watching; !errors.Is(err, ctx.Err()) {
				return err
			}
			return nil
		case <-tick.C:
		}
	}
}

// Sweep visits every agent once: it carries out what a crash left in an outbox or left
// marked, ends activations whose client has vanished, reports messages that stay unread,
// and retires what was settled long ago. A tree that it fails on does not keep it from
// the others, unless the store is unavailable.
func (s *Service) Sweep(ctx context.Context) error {
	var failed []error
	for cursor := ""; ; {
		roots, next, err := s.Store.Roots(ctx, cursor, 256)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for _, root := range roots {
			if err := s.sweep(ctx, root); errors.Is(err, ErrUnavailable) || ctx.Err() != nil {
				return errors.Join(append(failed, err)...)
			} else if err != nil {
				failed = append(failed, fmt.Errorf("tree of %s: %w", root.ID, err))
			}
		}
		if cursor = next; next == "" {
			return errors.Join(failed...)
		}
	}
}

func (s *Service) sweep(ctx context.Context, root Key) error {
	t, err := s.tree(ctx, root)
	if err != nil {
		return err
	}
	var failed []error
	for _, a := range t.members {
		if err := s.visit(ctx, a); errors.Is(err, ErrUnavailable) || ctx.Err() != nil {
			return err
		} else if err != nil && !errors.Is(err, ErrNotFound) {
			failed = append(failed, fmt.Errorf("agent %s: %w", a.ID, err))
		}
	}
	for _, a := range t.orphans {
		// As it was read: a parent that was registered meanwhile is another one's.
		orphan, err := s.orphaned(ctx, a)
		if orphan {
			err = s.discard(ctx, a)
		}
		failed = append(failed, err)
	}
	for _, name := range t.vacant {
		// A crash came before the end of a registration or of a removal.
		failed = append(failed, s.Store.Strike(ctx, root, name))
	}
	return errors.Join(append(failed, s.collect(ctx, t), s.retire(ctx, t))...)
}

func (s *Service) visit(ctx context.Context, snap Snapshot) error {
	if snap.Ending {
		return s.finish(ctx, snap.Key)
	}
	snap, err := s.update(ctx, snap.Key, func(a *Agent, c *Change) error {
		now := time.Now()
		expired := a.expire(now, s.leased(a), s.Residency, s.RootTTL)
		if overdue := a.overdue(now.UnixMilli(), c.Version); !expired && !overdue {
			return errUnchanged
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = s.flush(ctx, snap.Key)
	if errors.Is(err, ErrUnknownParent) {
		return s.discard(ctx, snap) // registered while its parent was deleted
	}
	return err
}

// Touch is Load for somebody who waits for the agent, which keeps a root live between its
// turns. An open turn waits for its client's next request, and for nobody else. It writes
// at most every hundredth of RootTTL.
func (s *Service) Touch(ctx context.Context, key Key) (Snapshot, error) {
	return s.update(ctx, key, func(a *Agent, _ *Change) error {
		now := time.Now()
		if a.Parent != "" || a.Status != Idle || now.Sub(time.UnixMilli(a.Alive)) < s.RootTTL/100 {
			return errUnchanged
		}
		a.Alive = now.UnixMilli()
		return nil
	})
}
