package agents

import "context"

// Hear lets the service hear of other processes' changes, without sweeping.
func (s *Service) Hear(ctx context.Context) error { return s.Store.Watch(ctx, s.signal) }

// Abandon ends the exchange's renewals and nothing else, as the end of its process does.
func (x *Exchange) Abandon() { x.quit() }
