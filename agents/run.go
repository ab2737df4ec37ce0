package agents

import (
	"context"
	"errors"
	"time"
)

// Run listens for changes made by other processes and ends abandoned activations, until
// ctx ends. Nothing depends on it for correctness: hints only shorten waits, and what it
// ends is ended by the next request too.
func (s *Service) Run(ctx context.Context) error {
	watching := make(chan error, 1)
	go func() { watching <- s.Store.Watch(ctx, s.signal) }()
	every := min(s.Residency, s.RootTTL, 4*time.Minute) / 4
	tick := time.NewTicker(max(every, 10*time.Millisecond))
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("sweep of the agents failed; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return errors.Join(<-watching)
		case <-tick.C:
		}
	}
}

// Sweep visits every agent once: it carries out what a crash left in an outbox and ends
// activations whose client has vanished.
func (s *Service) Sweep(ctx context.Context) error {
	for cursor := ""; ; {
		roots, next, err := s.Store.Roots(ctx, cursor, 256)
		if err != nil {
			return err
		}
		for _, root := range roots {
			ids, err := s.Store.Members(ctx, root)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if err := s.visit(ctx, Key{root.Tenant, id}); err != nil {
					return err
				}
			}
		}
		if cursor = next; next == "" {
			return nil
		}
	}
}

func (s *Service) visit(ctx context.Context, key Key) error {
	snap, err := s.Load(ctx, key)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnreadable) {
		return nil
	} else if err != nil {
		return err
	}
	leased := func(a *Agent) bool { return a.Leased(time.Now(), s.Holder, s.Store.Exclusive()) }
	if snap.Agent.expire(time.Now(), leased(snap.Agent), s.Residency, s.RootTTL) {
		_, err = s.update(ctx, key, func(a *Agent, _ *Change) error {
			if !a.expire(time.Now(), leased(a), s.Residency, s.RootTTL) {
				return errUnchanged
			}
			return nil
		})
	}
	if err == nil && len(snap.Outbox) > 0 || snap.Status == Ready {
		_, err = s.flush(ctx, key)
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
