package agents

import (
	"context"
	"time"
)

// Met is what became of an exchange that another request of the same agent met.
type Met int

const (
	// Free: the agent can be taken; the other exchange lapsed, failed, or was cancelled.
	Free Met = iota
	// Concurrent: the other exchange lives, or it has finished normally meanwhile.
	Concurrent
)

// Meet waits until the exchange that holds the agent shows a sign of life, ends, or lapses:
// after little more than one lease. met is the agent as it was at arrival. A sign of life is
// a lease that was renewed after that: what a process that has ended had on its way to the
// store says nothing of it.
// One that has recorded its answer is waited for too: whether the answer arrives decides
// what a repeat of the request is. Whoever met it with its answer on record came after it,
// so when it has ended the agent is free.
func (s *Service) Meet(ctx context.Context, met Snapshot) (Met, error) {
	if met.Lease == nil {
		return Free, nil
	}
	holder := *met.Lease
	heard := max(holder.Until, time.Now().Add(s.Lease).UnixMilli())
	for {
		changed := s.Changed(met.Key)
		now, err := s.Load(ctx, met.Key)
		if err != nil {
			return Free, err
		}
		l := now.Lease
		switch {
		case l == nil || l.Seq != holder.Seq:
			if !holder.Answered && now.History.Whole && now.History.Delivered {
				return Concurrent, nil
			}
			return Free, nil
		case !s.leased(now.Agent):
			return Free, nil
		case l.Until > heard:
			return Concurrent, nil
		}
		wait := time.NewTimer(min(time.Until(time.UnixMilli(l.Until))+time.Millisecond, s.Lease/5))
		select {
		case <-ctx.Done():
			wait.Stop()
			return Free, context.Cause(ctx)
		case <-changed:
		case <-wait.C:
		}
		wait.Stop()
	}
}
