package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// flush carries out the outbox: each append to another agent's record first, then its
// removal here. A crash between the two repeats the append, which the target recognises.
func (s *Service) flush(ctx context.Context, key Key) (*Agent, error) {
	snap, err := s.load(ctx, key)
	for {
		if err != nil {
			return nil, err
		}
		if len(snap.Outbox) == 0 {
			return snap.Agent, nil
		}
		done := snap.Outbox[0]
		if err := s.append(ctx, snap, done); err != nil {
			return nil, fmt.Errorf("%s from %s to %s: %w", done.Kind, key.ID, done.To, err)
		}
		snap, err = s.retry(ctx, key, s.load, func(a *Agent, _ *Change) error {
			i := slices.Index(a.Outbox, done)
			if i < 0 {
				return errUnchanged // another process was first
			}
			a.Outbox = slices.Delete(a.Outbox, i, i+1)
			return nil
		})
	}
}

// tell flushes what is decided and durable. A failure costs time only: the intents stay,
// and the agent's next request or the next sweep carries them out.
func (s *Service) tell(ctx context.Context, key Key) {
	if _, err := s.flush(ctx, key); err != nil && !errors.Is(err, ErrNotFound) {
		s.Log.Warn("an agent's outbox could not be flushed; it is tried again", "agent", key.ID, "err", err)
	}
}

// start lists a child's activation in its parent. The activation must not come back to the
// list when it has settled meanwhile, by another process: so the parent is read first, then
// whether the intent still stands, and the parent is written only if it is as it was read.
// A settlement is told after the start has left the outbox, and changes the parent.
func (s *Service) start(ctx context.Context, child Key, in Intent) error {
	for {
		parent, err := s.Load(ctx, Key{child.Tenant, in.To})
		if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrUnreadable) {
			return err
		}
		now, gone := s.load(ctx, child)
		switch {
		case errors.Is(gone, ErrNotFound) || gone == nil && !slices.Contains(now.Outbox, in):
			return nil // done, or never to be done
		case gone != nil:
			return gone
		case now.Ending && (err != nil || !now.isUnder(parent)):
			return nil // neither is there any more
		case errors.Is(err, ErrUnreadable):
			return err
		case err != nil || !now.isUnder(parent):
			return ErrUnknownParent
		}
		_, err = s.commit(ctx, parent, func(a *Agent, _ *Change) error {
			if !a.childStarted(child.ID, in.Opened) {
				return errUnchanged
			}
			return nil
		})
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// append does one intent at its target. A target that is gone, or whose record cannot be
// read, is told nothing; but no child starts under such a parent.
func (s *Service) append(ctx context.Context, from Snapshot, in Intent) error {
	if in.Kind == ChildStarted {
		return s.start(ctx, from.Key, in)
	}
	to := Key{from.Key.Tenant, in.To}
	entry, blob, err := s.entry(ctx, from, in)
	if err != nil {
		return err
	}
	var taken bool
	var route Route
	_, err = s.update(ctx, to, func(t *Agent, c *Change) error {
		route = t.route()
		switch in.Kind {
		case ChildSettled:
			taken = t.childSettled(from.ID, in.Opened, entry)
		case SendLost, SendUnread, SendRefused:
			sent := in.Step == 0 || in.Step >= t.bornAt(c.Version)
			taken = sent && (in.Kind != SendLost || t.Live()) && t.reported(from.ID, in.Seq, *entry)
		}
		if !taken {
			return errUnchanged
		}
		if blob != nil {
			c.Put = []Blob{*blob}
		}
		return nil
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case errors.Is(err, ErrUnreadable):
		s.Log.Warn("an agent could not be told: its record cannot be read", "agent", in.To, "kind", in.Kind, "from", from.ID)
		return nil
	case err != nil:
		return err
	}
	if taken && entry != nil {
		s.Trace.sent(entry.Kind, route, "")
	}
	if taken && in.Kind == ChildSettled {
		s.Trace.settled(in.Outcome)
		// The target may have been waiting for just this child to settle itself.
		s.tell(ctx, to)
	}
	return nil
}

// entry builds what an intent puts into its target's inbox; nil for nothing. The text of
// a settlement is the closing message: how it reads is the business of who renders it.
func (s *Service) entry(ctx context.Context, from Snapshot, in Intent) (*Entry, *Blob, error) {
	e := &Entry{From: from.ID, At: time.Now().UnixMilli(), Outcome: in.Outcome}
	var text []byte
	switch in.Kind {
	case ChildSettled:
		if in.Silent {
			return nil, nil, nil
		}
		e.ID, e.Kind = noticeID(from.ID, in.Seq), Notice
		if in.Closing != "" {
			texts, err := s.Store.Blobs(ctx, []BlobRef{{from.Key, in.Closing}})
			if err != nil {
				return nil, nil, err
			}
			text = texts[0]
		}
	case SendRefused:
		e.ID, e.Kind = reportID(from.ID, in.Seq), Report
		text = fmt.Appendf(nil, "The provider refused a request of agent %s that carried %s of yours; not read.", from.ID, messages(in.Count))
	case SendUnread:
		e.ID, e.Kind = reportID(from.ID, in.Seq), Report
		text = fmt.Appendf(nil, "Agent %s has not read %s of yours for %d hours; still pending.", from.ID, messages(in.Count), int(Unread.Hours()))
	case SendLost:
		e.ID, e.Kind = reportID(from.ID, in.Seq), Report
		text = fmt.Appendf(nil, "Agent %s was deleted with %s of yours unread.", from.ID, messages(in.Count))
	default:
		return nil, nil, fmt.Errorf("unknown intent %q", in.Kind)
	}
	e.Size = len(text)
	return e, &Blob{e.TextBlob(), text}, nil
}

func messages(n int) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}

// texts returns the entries with their texts. A blob that is missing was dropped with its
// entry after the record was read: no commit on that reading succeeds.
func (s *Service) texts(ctx context.Context, key Key, entries []Entry) ([]Pending, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	refs := make([]BlobRef, len(entries))
	for i, e := range entries {
		refs[i] = BlobRef{key, e.TextBlob()}
	}
	blobs, err := s.Store.Blobs(ctx, refs)
	if err != nil {
		return nil, err
	}
	pending := make([]Pending, len(entries))
	for i, e := range entries {
		pending[i] = Pending{e, string(blobs[i])}
	}
	return pending, nil
}
