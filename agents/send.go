package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Send executes a send_message call of the exchange's step: it returns when the message
// is durably in the target's inbox. The sender is the exchange's agent, whatever the
// arguments say. step and ordinal name the call for ever, so a repeat is the same send.
// A *RefusedError is a result for the model; any other error is the store's.
func (x *Exchange) Send(ctx context.Context, step uint64, ordinal int, to, text string) (Receipt, error) {
	r, err := x.s.send(ctx, x.Agent, x.Key, to, text, "", func(t *Agent, c *Change) (Receipt, *Blob, error) {
		return t.accept(x.Agent, step, ordinal, text, "", time.Now())
	})
	var refused *RefusedError
	switch {
	case err == nil:
		x.s.Trace.sent(Message, r.Route, "")
	case errors.As(err, &refused):
		x.s.Trace.sent(Message, "", refused.Reason)
	}
	return r, err
}

func (s *Service) send(ctx context.Context, from *Agent, key Key, to, text, via string, accept func(*Agent, *Change) (Receipt, *Blob, error)) (Receipt, error) {
	if len(text) > MaxMessage {
		return Receipt{}, &RefusedError{TooLong, to, fmt.Sprintf("the message has %d bytes, and at most %d are taken", len(text), MaxMessage)}
	}
	if !utf8.ValidString(text) {
		return Receipt{}, &RefusedError{Malformed, to, "the message is not valid UTF-8"}
	}
	if CheckID(to) != nil {
		return Receipt{}, s.unknown(ctx, key, from, to)
	}
	var receipt Receipt
	_, err := s.update(ctx, Key{key.Tenant, to}, func(t *Agent, c *Change) error {
		if refused := permit(from, t); refused != nil {
			return refused
		}
		r, blob, err := accept(t, c)
		if err != nil {
			return err
		}
		receipt = r
		if blob == nil {
			return errUnchanged
		}
		c.Put = []Blob{*blob}
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		err = s.unknown(ctx, key, from, to)
	}
	return receipt, err
}

// unknown refuses a send to nobody, naming ids of the sender's own tree that look alike.
func (s *Service) unknown(ctx context.Context, key Key, from *Agent, to string) error {
	text := fmt.Sprintf("there is no agent %q", to)
	ids, err := s.Store.Members(ctx, Key{key.Tenant, from.Root})
	if err != nil {
		return err
	}
	if near := nearest(to, ids); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return &RefusedError{Unknown, to, text}
}

// nearest returns up to three ids that differ from id by few edits, nearest first.
func nearest(id string, ids []string) []string {
	type match struct {
		id   string
		dist int
	}
	var found []match
	limit := max(2, len(id)/3)
	for _, have := range ids {
		d := distance(id, have)
		if strings.Contains(have, id) || strings.EqualFold(have, id) {
			d = min(d, 1)
		}
		if id != "" && d <= limit {
			found = append(found, match{have, d})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return a.dist - b.dist })
	near := make([]string, 0, 3)
	for _, m := range found[:min(3, len(found))] {
		near = append(near, m.id)
	}
	return near
}

// distance is the number of byte edits between a and b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// Interrupt asks target's open turn to stop, as the exchange's agent: any live ancestor
// may. A target without an open turn is an accepted no-op.
func (x *Exchange) Interrupt(ctx context.Context, target string) error {
	refuse := func(format string, args ...any) error {
		return &RefusedError{Reason: NotPermitted, Target: target, Text: fmt.Sprintf(format, args...)}
	}
	if target == x.Agent.ID {
		return refuse("an agent cannot interrupt itself")
	}
	if CheckID(target) != nil {
		return nil // no such agent can exist: nothing to stop
	}
	t, err := x.s.Load(ctx, Key{x.Key.Tenant, target})
	if errors.Is(err, ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	if ok, err := x.s.descends(ctx, t.Agent, x.Key); err != nil {
		return err
	} else if !ok {
		return refuse("agent %s is not one of your descendants", target)
	}
	return x.s.Stop(ctx, t.Key)
}

// Stop interrupts an agent's open turn on the operator's word.
func (s *Service) Stop(ctx context.Context, key Key) error {
	_, err := s.update(ctx, key, func(a *Agent, _ *Change) error {
		if !a.interrupt(a.Leased(time.Now(), s.Holder, s.Store.Exclusive())) {
			return errUnchanged
		}
		return nil
	})
	if err == nil {
		_, err = s.flush(ctx, key)
	}
	return err
}

// descends reports whether ancestor is above a, walking the durable parents.
func (s *Service) descends(ctx context.Context, a *Agent, ancestor Key) (bool, error) {
	for a.Parent != "" {
		if a.Parent == ancestor.ID {
			return true, nil
		}
		up, err := s.Load(ctx, Key{ancestor.Tenant, a.Parent})
		if err != nil {
			return false, err
		}
		a = up.Agent
	}
	return false, nil
}
