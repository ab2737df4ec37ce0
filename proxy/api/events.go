package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"trunkline/agents"
)

// agentEvents is GET /agents/{id}/events: the agent's state now and at every change, as
// server-sent events, with what came into its inbox and what settled in between. Ids are
// versions. Whoever comes back with the last one it saw is told what it missed: all that
// is still pending, and the latest of what is over.
func (s *Server) agentEvents(w http.ResponseWriter, r *http.Request, tenant string) error {
	if err := query(r, nil); err != nil {
		return err
	}
	last, resumes := r.Header.Get("Last-Event-ID"), false
	var seen uint64
	if last != "" {
		var err error
		if seen, err = strconv.ParseUint(last, 10, 64); err != nil {
			return invalid("Last-Event-ID", "want the id of an event, a whole number")
		}
		resumes = true
	}
	snap, err := s.pathAgent(tenant, r)
	if err != nil {
		return err
	}
	if !resumes {
		seen = snap.Activity
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return s.tellEvents(r.Context(), stream{w}, snap, seen)
}

// tellEvents writes until the client leaves, the agent is deleted, or the server drains.
func (s *Server) tellEvents(ctx context.Context, out stream, snap agents.Snapshot, seen uint64) error {
	key := snap.Key
	for {
		for _, e := range snap.Events(seen) {
			if err := out.event(e.Seq, eventName(e), eventData(key.ID, e)); err != nil {
				return err
			}
		}
		seen = snap.Activity
		state, err := s.state(ctx, snap)
		if err != nil {
			return err
		}
		if err := out.event(seen, "state", state); err != nil {
			return err
		}
		for snap, err = s.await(ctx, key, seen, s.Heartbeat); errors.Is(err, errPatience); snap, err = s.await(ctx, key, seen, s.Heartbeat) {
			if s.Drained.Err() != nil {
				return nil // a clean end: the client comes again, elsewhere
			}
			if err := out.beat(); err != nil {
				return err
			}
		}
		if isNotFound(err) {
			return out.event(seen+1, "deleted", struct {
				ID string `json:"id"`
			}{key.ID})
		} else if err != nil {
			return err
		}
	}
}

func eventName(e agents.Event) string {
	if e.Entry == nil {
		return "settled"
	}
	return "message"
}

// eventData is what an event says. A message's text is not in it: it is the model's to
// read, and stands in the transcript then.
func eventData(id string, e agents.Event) any {
	if e.Entry == nil {
		return struct {
			ID      string         `json:"id"`
			Epoch   uint64         `json:"epoch"`
			Outcome agents.Outcome `json:"outcome"`
		}{id, e.Epoch, e.Outcome}
	}
	return struct {
		ID      string           `json:"message_id"`
		Kind    agents.EntryKind `json:"kind"`
		From    string           `json:"from"`
		Via     string           `json:"via,omitempty"`
		Outcome agents.Outcome   `json:"outcome,omitempty"` // of a notice
		Bytes   int              `json:"bytes"`
		At      string           `json:"accepted_at"`
	}{e.Entry.ID, e.Entry.Kind, e.Entry.From, e.Entry.Via, e.Entry.Outcome, e.Entry.Size, timestamp(e.Entry.At)}
}

// stream is a response that events are written to.
type stream struct{ w http.ResponseWriter }

// event writes one event.
func (o stream) event(id uint64, name string, data any) error {
	body, err := encodeJSON(data)
	if err != nil {
		return err
	}
	return o.write(fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", id, name, body))
}

// beat shows that the stream lives. A comment ends in one line feed, not in a blank line:
// some clients take a comment and a blank line for an empty event.
func (o stream) beat() error { return o.write([]byte(": trunkline\n")) }

// write hands bytes to the client now.
func (o stream) write(b []byte) error {
	if _, err := o.w.Write(b); err != nil {
		return err
	}
	return http.NewResponseController(o.w).Flush()
}
