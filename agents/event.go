package agents

import (
	"cmp"
	"slices"
)

// maxLately bounds Lately: what a stream may miss while nobody reads it.
const maxLately = 16

// Event is something that happened to an agent and that its state alone does not tell: an
// entry that came into its inbox, or else an activation that settled.
type Event struct {
	Seq     uint64  `json:"seq"` // Activity with it
	Entry   *Entry  `json:"entry,omitempty"`
	Epoch   uint64  `json:"epoch,omitempty"` // that settled
	Outcome Outcome `json:"outcome,omitempty"`
}

// Events returns what happened after Activity was after, in order: all that is pending,
// and the latest of what is over.
func (a *Agent) Events(after uint64) []Event {
	events := slices.Clone(a.Lately)
	for _, e := range a.Inbox {
		events = append(events, Event{Seq: e.Seq, Entry: &e})
	}
	slices.SortFunc(events, func(x, y Event) int { return cmp.Compare(x.Seq, y.Seq) })
	return slices.DeleteFunc(events, func(e Event) bool { return e.Seq <= after })
}

// happened keeps an event that would be lost with this change.
func (a *Agent) happened(e Event) {
	a.Lately = append(a.Lately, e)
	a.Lately = slices.Clone(a.Lately[max(0, len(a.Lately)-maxLately):])
}
