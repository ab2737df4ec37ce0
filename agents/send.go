package agents

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// Send executes a send_message call of the exchange's step: it returns when the message
// is durably in the target's inbox. The sender is the exchange's agent, whatever the
// arguments say. step and ordinal name the call for ever, so a repeat is the same send.
// A *RefusedError is a result for the model; any other error is the store's, or ErrFenced.
func (x *Exchange) Send(ctx context.Context, step uint64, ordinal int, to, text string) (Receipt, error) {
	from, err := x.held(ctx)
	if err != nil {
		return Receipt{}, err
	}
	return x.s.send(ctx, x.Key, from, to, text, func(t *Agent, _ uint64) (Receipt, *Blob, error) {
		return t.accept(from.ID, step, ordinal, text, time.Now())
	})
}

// SendAs sends as agent from on a program's word, under the same rules as its model.
// idempotency names the send: a repeat of it with the same text is the same message, among
// the last MaxEntries that programs sent to the target. "" names nothing. ErrNotFound when
// from does not exist; otherwise as Exchange.Send.
func (s *Service) SendAs(ctx context.Context, from Key, to, text, idempotency string) (Receipt, error) {
	snap, err := s.Load(ctx, from)
	if err != nil {
		return Receipt{}, err
	}
	return s.send(ctx, from, snap.Agent, to, text, func(t *Agent, version uint64) (Receipt, *Blob, error) {
		id := "api/" + from.ID + "/" + strconv.FormatUint(version, 10)
		if idempotency != "" {
			id = fmt.Sprintf("api/%s/%.16x", from.ID, sha256.Sum256(fmt.Appendf(nil, "%q %q", idempotency, text)))
		}
		return t.post(from.ID, id, text, time.Now())
	})
}

// send puts a message into the target's inbox by accept, which is told the version of the
// record that it changes.
func (s *Service) send(ctx context.Context, key Key, from *Agent, to, text string, accept func(t *Agent, version uint64) (Receipt, *Blob, error)) (Receipt, error) {
	var receipt Receipt
	err := s.deliverable(ctx, key, from, to, text)
	if err == nil {
		_, err = s.update(ctx, Key{key.Tenant, to}, func(t *Agent, c *Change) error {
			if refused := permit(from, t); refused != nil {
				return refused
			}
			r, blob, err := accept(t, c.Version)
			if err != nil {
				return err
			}
			if receipt = r; r.Again {
				return errUnchanged
			}
			c.Put = []Blob{*blob}
			return nil
		})
	}
	switch {
	case errors.Is(err, ErrNotFound):
		err = s.unknown(ctx, key, from, to)
	case errors.Is(err, ErrUnreadable):
		err = &RefusedError{Reason: NotLive, Target: to, Text: fmt.Sprintf("the record of agent %s cannot be read", to)}
	}
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		s.Trace.sent(Message, "", refused.Reason)
	case err == nil && !receipt.Again:
		s.Trace.sent(Message, receipt.Route, "")
	}
	if err != nil {
		return Receipt{}, err
	}
	return receipt, nil
}

// deliverable refuses what no inbox takes.
func (s *Service) deliverable(ctx context.Context, key Key, from *Agent, to, text string) error {
	switch {
	case len(text) > MaxMessage:
		return &RefusedError{Reason: TooLong, Target: to, Text: fmt.Sprintf("the message has %d bytes, and at most %d are taken", len(text), MaxMessage)}
	case !utf8.ValidString(text):
		return &RefusedError{Reason: Malformed, Target: to, Text: "the message is not valid UTF-8"}
	case CheckID(to) != nil:
		return s.unknown(ctx, key, from, to)
	}
	return nil
}

// unknown refuses a send to nobody; Tree lets the caller name ids that look alike.
func (s *Service) unknown(ctx context.Context, key Key, from *Agent, to string) error {
	members, err := s.Store.Members(ctx, Key{key.Tenant, from.Root})
	if err != nil {
		return err
	}
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	return &RefusedError{Reason: Unknown, Target: to, Text: fmt.Sprintf("there is no agent %q", to), Tree: ids}
}
