package agents

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
	Again     bool // the same send was accepted before; nothing was added
}

// permit decides whether the sender may send to the target, by one adjacent edge: a live
// parent down to its continuable child, and a continuable child up to its live parent, by
// the activation that the parent lists. It returns nil or why not.
func permit(from, to *Agent) *RefusedError {
	refuse := func(r Reason, format string, args ...any) *RefusedError {
		return &RefusedError{Reason: r, Target: to.ID, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case from.ID == to.ID:
		return refuse(NotPermitted, "an agent cannot send a message to itself")
	case to.Parent == from.ID && to.Kind != Continuable:
		return refuse(NotPermitted, "agent %s is one-shot and takes no messages", to.ID)
	case to.Parent != from.ID && from.Parent != to.ID:
		return refuse(NotPermitted, "agent %s is neither your parent nor your direct child", to.ID)
	case from.Parent == to.ID && from.Kind != Continuable:
		return refuse(NotPermitted, "a one-shot agent sends no messages")
	case !from.Live():
		return refuse(NotLive, "the sending agent %s is not live", from.ID)
	case from.Parent == to.ID && !to.Live():
		return refuse(NotLive, "the parent agent %s is not live", to.ID)
	case from.Parent == to.ID && to.Children[from.ID] != from.Opened:
		return refuse(Stale, "the message comes from an activation that is over")
	}
	return nil
}

// accept puts a message of a model into the inbox, once: the send is named by the
// sender's step and the ordinal of the call in it. A sender makes one step at a time, so
// what its latest step sent is all that a repeat can name; anything earlier is stale.
func (a *Agent) accept(from string, step uint64, ordinal int, text string, now time.Time) (Receipt, *Blob, error) {
	id := sendID(from, step, ordinal)
	heard := a.Heard[from]
	if route, done := heard.Sends[ordinal]; done && heard.Step == step {
		return Receipt{id, a.ID, route, true}, nil, nil
	}
	if step < heard.Step {
		return Receipt{}, nil, &RefusedError{Reason: Stale, Target: a.ID, Text: "the message comes from a step that is over"}
	}
	if step == heard.Step && ordinal < slices.Max(slices.Collect(maps.Keys(heard.Sends))) {
		// Calls are executed in order: this one was refused before, and a later one of the
		// same answer was accepted.
		return Receipt{}, nil, &RefusedError{Reason: Stale, Target: a.ID, Text: "the message was refused before"}
	}
	receipt, blob, err := a.admit(Entry{ID: id, Kind: Message, From: from, Step: step, At: now.UnixMilli()}, text)
	if err != nil {
		return receipt, nil, err
	}
	sends := map[int]Route{ordinal: receipt.Route}
	if heard.Step == step {
		maps.Copy(sends, heard.Sends)
	}
	if a.Heard == nil {
		a.Heard = map[string]Heard{}
	}
	a.Heard[from] = Heard{Step: step, Sends: sends}
	return receipt, blob, nil
}

// maxHeard bounds the marks of senders that are not live.
const maxHeard = 256

// forget drops the oldest marks of children that are not live. A mark outlives its
// activation, because calls that it recorded and a crash kept from having results are
// executed again by the next one.
func (a *Agent) forget() {
	var over []string
	for id := range a.Heard {
		if _, live := a.Children[id]; !live && id != a.Parent {
			over = append(over, id)
		}
	}
	slices.SortFunc(over, func(x, y string) int { return cmp.Compare(a.Heard[x].Step, a.Heard[y].Step) })
	for _, id := range over[:max(0, len(over)-maxHeard)] {
		delete(a.Heard, id)
	}
}

// post puts a message of a program into the inbox, once for each id among the last
// MaxEntries of them.
func (a *Agent) post(from, id, text string, now time.Time) (Receipt, *Blob, error) {
	for _, p := range a.Posts {
		if p.ID == id {
			return Receipt{id, a.ID, p.Route, true}, nil, nil
		}
	}
	receipt, blob, err := a.admit(Entry{ID: id, Kind: Message, From: from, Via: "api", At: now.UnixMilli()}, text)
	if err != nil {
		return receipt, nil, err
	}
	a.Posts = append(a.Posts, Post{id, receipt.Route})
	a.Posts = slices.Clone(a.Posts[max(0, len(a.Posts)-MaxEntries):])
	return receipt, blob, nil
}

// admit appends a message to the inbox.
func (a *Agent) admit(e Entry, text string) (Receipt, *Blob, error) {
	if a.messages() >= MaxEntries {
		return Receipt{}, nil, &RefusedError{Reason: InboxFull, Target: a.ID,
			Text: fmt.Sprintf("the inbox of agent %s is full (%d messages are pending)", a.ID, MaxEntries)}
	}
	route := a.route()
	e.Size = len(text)
	a.enqueue(e)
	if a.Stop != nil {
		a.Stop.Message = true
	}
	return Receipt{e.ID, a.ID, route, false}, &Blob{e.TextBlob(), []byte(text)}, nil
}

// route says what becomes of an entry that is put into the inbox now.
func (a *Agent) route() Route {
	if a.Status == Running && a.Stop == nil {
		return RouteStep
	}
	return RouteParked
}
