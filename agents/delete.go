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
	if _, err := s.mark(ctx, key, func(*Agent, uint64) bool { return true }); err != nil {
		return err
	}
	return s.finish(ctx, key)
}

// discard deletes this very agent, and not another one that has its id by now.
func (s *Service) discard(ctx context.Context, a Snapshot) error {
	if _, err := s.mark(ctx, a.Key, func(_ *Agent, born uint64) bool { return born == a.born() }); err != nil {
		return err
	}
	return s.finish(ctx, a.Key)
}

// finish deletes an agent that is marked, after all its descendants. Others may do the same,
// and be through, and the ids may be registered again: who is not marked is marked only as
// it was read, below parents that it was registered under, so that no new agent is touched.
// Once an agent is marked, whatever is registered under it is in the next reading of the
// tree, or takes itself back.
func (s *Service) finish(ctx context.Context, key Key) error {
	top, err := s.load(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return nil
	} else if err != nil || !top.Ending {
		return err
	}
	var t tree
	var doomed []Snapshot
	for marked := true; marked; {
		if t, err = s.tree(ctx, Key{key.Tenant, top.Root}); err != nil {
			return err
		}
		switch now, err := s.load(ctx, key); {
		case errors.Is(err, ErrNotFound) || err == nil && !now.Is(top):
			return nil // somebody else has removed it
		case err != nil:
			return err
		case !slices.ContainsFunc(t.members, top.Is):
			// It has lost its name, and those below it their way up.
			if err := s.Store.Enroll(ctx, t.root, key.ID); err != nil {
				return err
			}
			continue
		}
		marked, doomed = false, []Snapshot{top}
		for a := range t.below(key.ID) {
			doomed = append(doomed, a)
			if a.Ending {
				continue
			}
			marked = true
			_, err := s.commit(ctx, a, func(a *Agent, c *Change) error { a.doom(c.Version); return nil })
			if err != nil && !errors.Is(err, ErrConflict) {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
	}
	for _, a := range slices.Backward(doomed) {
		if err := s.remove(ctx, t, a); err != nil {
			return err
		}
	}
	return nil
}

// mark is the moment at which an agent is gone, if it may go then: may is told when it was
// born. It reports whether the agent is marked, or gone altogether.
func (s *Service) mark(ctx context.Context, key Key, may func(a *Agent, born uint64) bool) (bool, error) {
	snap, err := s.update(ctx, key, func(a *Agent, c *Change) error {
		if !may(a, a.bornAt(c.Version)) {
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

// doom takes everything from the agent but what others are still to be told. A start that
// the parent has not heard of stays among that: it may be on its way, and the settlement
// behind it is what takes it off the parent's list.
func (a *Agent) doom(seq uint64) {
	a.Ending = true
	a.Lease = nil
	a.report(SendLost, seq, a.Inbox)
	if a.Live() && a.Parent != "" {
		a.Outbox = append(a.Outbox, a.settlement(Aborted))
	}
	a.Status = Ready
	a.Activity++
}

// remove tells what a marked agent leaves, and then removes its record, and its name as t
// lists it.
func (s *Service) remove(ctx context.Context, t tree, doomed Snapshot) error {
	key := doomed.Key
	for {
		a, err := s.load(ctx, key)
		switch {
		case errors.Is(err, ErrNotFound):
			return s.strike(ctx, t, key) // somebody else may have ended before he did
		case err != nil:
			return err
		case !a.Is(doomed):
			return nil // removed, and registered again
		case len(a.Outbox) > 0:
			if _, err := s.flush(ctx, key); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
			continue
		}
		switch err := s.Store.Delete(ctx, key, a.Version); {
		case errors.Is(err, ErrConflict):
			continue
		case err != nil:
			return err
		}
		s.signal(key)
		return s.strike(ctx, t, key)
	}
}

// strike takes the name of an agent that was removed since the tree was read off it. Who has
// registered the id meanwhile has enrolled it anew, and the name stays.
func (s *Service) strike(ctx context.Context, t tree, key Key) error {
	name, listed := t.names[key.ID]
	if !listed {
		return nil
	}
	return s.Store.Strike(ctx, t.root, name)
}

// retire removes agents that have been settled for Retention, together with their
// histories, leaf first: none while anything is registered below it, since a fork's
// history is its parent's. When a root goes, so do records of its tree that cannot be read.
func (s *Service) retire(ctx context.Context, t tree) error {
	ripe := func(a *Agent, _ uint64) bool {
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
			going := !below && ripe(a.Agent, 0)
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
			if err = errors.Join(err, s.remove(ctx, t, a)); err != nil {
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
		if err := s.strike(ctx, t, key); err != nil {
			return err
		}
	}
	return nil
}
