package agents

import (
	"fmt"
	"maps"
	"time"
)

// Route says what becomes of an accepted message; each has its fixed phrase for the model.
type Route string

const (
	// RouteStep: the target is in a turn and reads it at its next step boundary.
	RouteStep Route = "step"
	// RouteParked: the target is between turns; it reads it when its client next calls.
	RouteParked Route = "parked"
)

// Receipt is the outcome of an accepted send.
type Receipt struct {
	MessageID string
	Target    string
	Route     Route
}

// permit decides whether the sender may send to the target, by one adjacent edge: down to
// a continuable child by its durable parent, up to a live parent by the child's own
// activation. It returns nil or a *RefusedError.
func permit(from, to *Agent) *RefusedError {
	refuse := func(r Reason, format string, args ...any) *RefusedError {
		return &RefusedError{Reason: r, Target: to.ID, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case from.ID == to.ID:
		return refuse(NotPermitted, "an agent cannot send a message to itself")
	case to.Parent == from.ID:
		if to.Kind != Continuable {
			return refuse(NotPermitted, "agent %s is one-shot and takes no messages", to.ID)
		}
		return nil
	case from.Parent == to.ID:
		if from.Kind != Continuable {
			return refuse(NotPermitted, "a one-shot agent sends no messages")
		}
		if !to.Live() {
			return refuse(NotLive, "the parent agent %s is not live", to.ID)
		}
		return nil
	default:
		return refuse(NotPermitted, "agent %s is neither your parent nor your direct child", to.ID)
	}
}

// accept puts a message into the inbox, once: the send is named by the sender's
// activation, step and call ordinal. A sender makes one step at a time, so what its
// latest step sent is all that a repeat can name; anything earlier is stale.
func (a *Agent) accept(from *Agent, step uint64, ordinal int, text, via string, now time.Time) (Receipt, *Blob, error) {
	id := sendID(from.ID, step, ordinal)
	heard := a.Heard[from.ID]
	if route, done := heard.Sends[ordinal]; done && heard.Step == step {
		return Receipt{id, a.ID, route}, nil, nil
	}
	switch {
	case step < heard.Step:
		return Receipt{}, nil, &RefusedError{Reason: Stale, Target: a.ID, Text: "the message comes from a step that is over"}
	case a.messages() >= MaxEntries:
		return Receipt{}, nil, &RefusedError{Reason: InboxFull, Target: a.ID,
			Text: fmt.Sprintf("the inbox of agent %s is full (%d messages are pending)", a.ID, MaxEntries)}
	}
	route := RouteParked
	if a.Status == Running && a.Stop == nil {
		route = RouteStep
	}
	sends := map[int]Route{ordinal: route}
	if heard.Step == step {
		maps.Copy(sends, heard.Sends)
	}
	if a.Heard == nil {
		a.Heard = map[string]Heard{}
	}
	a.Heard[from.ID] = Heard{Step: step, Sends: sends}
	e := Entry{ID: id, Kind: Message, From: from.ID, Via: via, At: now.UnixMilli(), Size: len(text)}
	a.Inbox = append(a.Inbox, e)
	if a.Stop != nil {
		a.Stop.Message = true
	}
	a.Activity++
	return Receipt{id, a.ID, route}, &Blob{ID: e.TextBlob(), Data: []byte(text)}, nil
}
