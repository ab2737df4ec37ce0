package agents

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// MaxClosing is how much of a closing message a notice carries, in bytes.
const MaxClosing = 16 << 10

// flush carries out the outbox: each append to another agent's record first, then its
// removal here. A crash between the two repeats the append, which the target recognises.
func (s *Service) flush(ctx context.Context, key Key) (*Agent, error) {
	snap, err := s.Load(ctx, key)
	for {
		if err != nil {
			return nil, err
		}
		if len(snap.Outbox) == 0 {
			return snap.Agent, nil
		}
		done := snap.Outbox[0]
		if err := s.append(ctx, key, snap.Agent, done); err != nil {
			return nil, fmt.Errorf("%s from %s to %s: %w", done.Kind, key.ID, done.To, err)
		}
		snap, err = s.update(ctx, key, func(a *Agent, _ *Change) error {
			for i, in := range a.Outbox {
				if in == done {
					a.Outbox = append(a.Outbox[:i:i], a.Outbox[i+1:]...)
					return nil
				}
			}
			return errUnchanged // another process flushed it
		})
	}
}

// append does one intent at its target. A target that is gone wants nothing.
func (s *Service) append(ctx context.Context, from Key, a *Agent, in Intent) error {
	to := Key{from.Tenant, in.To}
	var blob *Blob
	var notice *Entry
	var err error
	switch in.Kind {
	case ChildStarted:
	case ChildSettled:
		if !in.Silent {
			if notice, blob, err = s.notice(ctx, from, in); err != nil {
				return err
			}
		}
	case SendRefused:
		notice = &Entry{ID: "refused/" + in.ID, Kind: Notice, From: from.ID, Outcome: Failed, At: time.Now().UnixMilli()}
		blob = &Blob{notice.TextBlob(), []byte("The provider refused a request that carried your message " + in.ID + "; it was not read.")}
		notice.Size = len(blob.Data)
	default:
		return fmt.Errorf("unknown intent %q", in.Kind)
	}
	settled := false
	_, err = s.update(ctx, to, func(t *Agent, c *Change) error {
		settled = false
		switch in.Kind {
		case ChildStarted:
			t.childStarted(from.ID, in.Epoch)
		case ChildSettled:
			if settled = t.childSettled(from.ID, in.Epoch, notice); !settled {
				return errUnchanged
			}
		case SendRefused:
			for _, e := range t.Inbox {
				if e.ID == notice.ID {
					return errUnchanged
				}
			}
			t.Inbox = append(t.Inbox, *notice)
			t.Activity++
		}
		if blob != nil {
			c.Put = []Blob{*blob}
		}
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if settled {
		s.Trace.settled(in.Outcome)
		// The parent may have been waiting for just this child to settle itself.
		_, err = s.flush(ctx, to)
	}
	return err
}

// notice builds the entry that tells a parent of a settlement. Its text is the closing
// message; how a notice reads is the business of who renders it.
func (s *Service) notice(ctx context.Context, from Key, in Intent) (*Entry, *Blob, error) {
	closing := fmt.Sprintf("closing:%d", in.Turn)
	texts, err := s.Store.Blobs(ctx, []BlobRef{{from, closing}})
	if err != nil {
		return nil, nil, err
	}
	e := &Entry{
		ID: noticeID(from.ID, in.Epoch), Kind: Notice, From: from.ID,
		At: time.Now().UnixMilli(), Size: len(texts[0]), Outcome: in.Outcome,
	}
	return e, &Blob{e.TextBlob(), texts[0]}, nil
}

// texts returns the entries with their texts.
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
