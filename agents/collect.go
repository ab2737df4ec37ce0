package agents

import (
	"context"
	"time"
)

// Histories tells which blobs the histories of a tree no longer refer to.
type Histories interface {
	// Unreferenced returns, of the blobs that agent owns, those that no history of the
	// members refers to. members are its whole tree.
	Unreferenced(ctx context.Context, agent Snapshot, members []Snapshot) (ids []string, err error)
}

// quiet is how long an agent must have been left alone before its history is collected: a
// fork that was being taken from what is gone now has been recorded, or has failed.
const quiet = time.Minute

// collect removes what agents' clients have cut from their histories Retention ago, where
// no fork refers to it.
func (s *Service) collect(ctx context.Context, t tree) error {
	if s.Histories == nil {
		return nil
	}
	for _, a := range t.members {
		now := time.Now()
		cut := a.History.Trimmed
		if cut == 0 || now.Sub(time.UnixMilli(cut)) < s.Retention || now.Sub(time.UnixMilli(a.Alive)) < min(quiet, s.Retention) || a.Lease != nil {
			continue
		}
		ids, err := s.Histories.Unreferenced(ctx, a, t.members)
		if err != nil {
			return err
		}
		version := a.Version
		_, err = s.update(ctx, a.Key, func(now *Agent, c *Change) error {
			if c.Version != version {
				return errUnchanged // it moved on: another sweep
			}
			now.History.Trimmed = 0
			c.Drop = ids
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
