package agents

import "context"

// Delivered notes that the recorded answer at the end of branch has reached the client
// whole, outside an exchange: it was given again. It opens nothing and settles nothing.
func (s *Service) Delivered(ctx context.Context, key Key, branch string) error {
	_, err := s.update(ctx, key, func(a *Agent, _ *Change) error {
		if a.History.Branch != branch || !a.History.Whole || a.History.Delivered {
			return errUnchanged
		}
		a.History.Delivered = true
		return nil
	})
	return err
}
