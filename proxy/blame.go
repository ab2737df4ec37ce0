package proxy

import (
	"context"
	"net/http"
	"slices"
	"time"

	"trunkline/prefix"
)

// sendWithout sends the step once more without the entries that it has just taken from
// the inbox, after the provider refused it for what it holds. If that is accepted, the
// entries were at fault: they are given up, and their senders told.
func (e *exchange) sendWithout(ctx context.Context) (*http.Response, error) {
	with, reserved := e.branch, e.lease.Agent.Reserved
	first, base := with.Len(), e.history.Base
	var rest []prefix.Entry
	for i, entry := range with.All(min(e.history.Inherited, with.Len())) {
		if slices.ContainsFunc(reserved, func(id string) bool { return holds(entry, id) }) {
			first = min(first, i)
			if left, ok := without(*entry, reserved); ok {
				rest = append(rest, left)
			} else if i < e.history.Base {
				base--
			}
		} else if i > first {
			rest = append(rest, *entry)
		}
	}
	e.branch, e.unsaved = with.Cut(first), rest
	history, put := e.standing()
	resp, err := e.send(ctx)
	if err != nil || resp.StatusCode/100 != 2 {
		e.branch = with
		return resp, err
	}
	history.Base, history.Sent = base, history.Len
	if history.Trimmed == 0 {
		history.Trimmed = time.Now().UnixMilli()
	}
	if err := e.lease.Refused(ctx, history, put); err != nil {
		resp.Body.Close()
		return nil, err
	}
	e.history = history
	return resp, nil
}

// blamesEntries reports whether the provider refused a request for what it holds while
// newly taken entries stood in it.
func (e *exchange) blamesEntries(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return e.lease != nil && len(e.lease.Agent.Reserved) > 0
	}
	return false
}
