package agents

import (
	"context"
	"errors"
	"time"
)

// Await returns the agent when its Activity is past after. ErrNotFound when there is none,
// or none any more; ctx's cause when that ends first.
func (s *Service) Await(ctx context.Context, key Key, after uint64) (Snapshot, error) {
	for {
		changed := s.Changed(key)
		snap, err := s.Load(ctx, key)
		switch {
		case errors.Is(err, ErrNotFound):
			s.signal(key) // nobody has anything to wait for
			return snap, err
		case err != nil || snap.Activity > after:
			return snap, err
		}
		again := time.NewTimer(s.Lease / 5) // hints get lost
		select {
		case <-ctx.Done():
			again.Stop()
			return snap, context.Cause(ctx)
		case <-changed:
		case <-again.C:
		}
		again.Stop()
	}
}
