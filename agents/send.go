package agents

import (
	"context"
	"errors"
	"fmt"
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
		return Receipt{}, &RefusedError{Reason: TooLong, Target: to, Text: fmt.Sprintf("the message has %d bytes, and at most %d are taken", len(text), MaxMessage)}
	}
	if !utf8.ValidString(text) {
		return Receipt{}, &RefusedError{Reason: Malformed, Target: to, Text: "the message is not valid UTF-8"}
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

// unknown refuses a send to nobody; Tree lets the caller name ids that look alike.
func (s *Service) unknown(ctx context.Context, key Key, from *Agent, to string) error {
	ids, err := s.Store.Members(ctx, Key{key.Tenant, from.Root})
	if err != nil {
		return err
	}
	return &RefusedError{Reason: Unknown, Target: to, Text: fmt.Sprintf("there is no agent %q", to), Tree: ids}
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
