package agents

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Delete ends an agent and its descendants, and removes them leaf first. Each is gone for
// everybody from the moment that it is marked, its parent before itself: exchanges are
// fenced, sends find no target, and nothing is revived. The parent of the agent gets an
// aborted notice of an open activation, and a live sender of messages that were not read
// gets one report. Deleting what is not there is no error.
//
// A crash leaves agents marked; the next sweep, or whoever registers the id, goes on.
func (s *Service) Delete(ctx context.Context, key Key) error {
	if _, err := s.mark(ctx, key, func(*Agent) bool { return true }); err != nil {
		return err
	}
	return s.finish(ctx, key)
}

// finish deletes an agent that is marked, after all its descendants; another agent of the
// same id is not touched. Once an agent is marked, whatever is registered under it is in
// the next reading of the tree, or takes itself back.
func (s *Service) finish(ctx context.Context, key Key) error {
	top, err := s.load(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return nil
	} else if err != nil || !top.Ending {
		return err
	}
	doomed := []Snapshot{top}
	for marked := true; marked; {
		t, err := s.tree(ctx, Key{key.Tenant, top.Root})
		if err != nil {
			return err
		}
		marked, doomed = false, doomed[:1]
		for a := range t.below(key.ID) {
			if !a.Ending {
				if _, err := s.mark(ctx, a.Key, func(*Agent) bool { return true }); err != nil {
					return err
				}
				marked = true
			}
			doomed = append(doomed, a)
		}
	}
	for _, a := range slices.Backward(doomed) {
		if err := s.remove(ctx, a.Key); err != nil {
			return err
		}
	}
	return nil
}

// mark is the moment at which an agent is gone, if it may go then. It reports whether the
// agent is marked, or gone altogether.
func (s *Service) mark(ctx context.Context, key Key, may func(*Agent) bool) (bool, error) {
	snap, err := s.update(ctx, key, func(a *Agent, c *Change) error {
		if !may(a) {
			return errUnchanged
		}
		a.doom(c.Version)
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	return err == nil && snap.Ending, err
}

// doom takes everything from the agent but what others are still to be told.
func (a *Agent) doom(seq uint64) {
	a.Ending = true
	a.Lease = nil
	a.Outbox = slices.DeleteFunc(a.Outbox, func(in Intent) bool { return in.Kind == ChildStarted })
	a.report(SendLost, seq, a.Inbox)
	if a.Live() && a.Parent != "" {
		a.Outbox = append(a.Outbox, a.settlement(Aborted))
	}
	a.Status = Ready
	a.Activity++
}

// remove tells what a marked agent leaves, and then removes its record and its name.
func (s *Service) remove(ctx context.Context, key Key) error {
	for {
		if _, err := s.flush(ctx, key); errors.Is(err, ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		a, err := s.load(ctx, key)
		if errors.Is(err, ErrNotFound) || err == nil && !a.Ending {
			return nil // somebody else has removed it, and it may be registered again
		} else if err != nil {
			return err
		}
		switch err := s.Store.Delete(ctx, key, a.Version); {
		case errors.Is(err, ErrConflict):
			continue
		case err != nil:
			return err
		}
		s.signal(key)
		return s.strike(ctx, Key{key.Tenant, a.Root}, key)
	}
}

// strike takes a removed agent's name off its tree. Who registers the id at this moment
// enrolls it before its record is there and again after, and here the record is looked
// for once more: in any order the name stays.
func (s *Service) strike(ctx context.Context, root, key Key) error {
	if err := s.Store.Strike(ctx, root, key.ID); err != nil {
		return err
	}
	if _, err := s.Store.Load(ctx, key); errors.Is(err, ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	return s.Store.Enroll(ctx, root, key.ID)
}

// retire removes agents that have been settled for Retention, together with their
// histories, leaf first: none while anything is registered below it, since a fork's
// history is its parent's. When a root goes, so do records of its tree that cannot be read.
func (s *Service) retire(ctx context.Context, t tree) error {
	ripe := func(a *Agent) bool {
		return a.Status == Ready && time.Since(time.UnixMilli(a.Alive)) > s.Retention
	}
	var visit func(id string) (kept bool, err error)
	visit = func(id string) (kept bool, err error) {
		for _, a := range t.under[id] {
			below, err := visit(a.ID)
			if err != nil {
				return false, err
			}
			// Who registers a child under it, or uses it, has shown a sign of life.
			going := !below && ripe(a.Agent)
			if going {
				if going, err = s.mark(ctx, a.Key, ripe); err != nil {
					return false, err
				}
			}
			if !going {
				kept = true
				continue
			}
			if a.Parent == "" {
				err = s.scrap(ctx, t)
			}
			if err = errors.Join(err, s.remove(ctx, a.Key)); err != nil {
				return false, err
			}
		}
		return kept, nil
	}
	_, err := visit("")
	return err
}

// scrap removes the records of a tree that cannot be read.
func (s *Service) scrap(ctx context.Context, t tree) error {
	for _, key := range t.unreadable {
		stored, err := s.Store.Load(ctx, key)
		if errors.Is(err, ErrNotFound) {
			continue
		} else if err != nil {
			return err
		}
		if _, err := decode(stored.Data); err == nil {
			continue // another agent's by now
		}
		if err := s.Store.Delete(ctx, key, stored.Version); err != nil {
			return err
		}
		if err := s.strike(ctx, t.root, key); err != nil {
			return err
		}
	}
	return nil
}
