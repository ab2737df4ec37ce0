package agents

// Intent is an append to another agent's record, decided in this one. It stays in the
// Outbox until the append is known to be done; repeating it changes nothing, because the
// target recognises it: a start by (child, epoch), a settlement by the child that it no
// longer lists, a notice by its id.
type Intent struct {
	Kind    IntentKind `json:"kind"`
	To      string     `json:"to"`
	Epoch   uint64     `json:"epoch,omitempty"`
	Turn    uint64     `json:"turn,omitempty"` // names the closing message
	Outcome Outcome    `json:"outcome,omitempty"`
	Silent  bool       `json:"silent,omitempty"` // settle without a notice
	ID      string     `json:"id,omitempty"`     // of the entry that a refusal is about
}

// IntentKind is what an intent does to its target.
type IntentKind string

const (
	ChildStarted IntentKind = "child-started"
	ChildSettled IntentKind = "child-settled"
	// SendRefused tells a sender that the provider refused a request with its message.
	SendRefused IntentKind = "send-refused"
)

// childStarted lists a child's activation. An older epoch than the one listed is late news.
func (a *Agent) childStarted(id string, epoch uint64) {
	if a.Children[id] >= epoch {
		return
	}
	if a.Children == nil {
		a.Children = map[string]uint64{}
	}
	a.Children[id] = epoch
	a.Activity++
}

// childSettled removes a child's activation and takes its notice, both or neither: a
// repeat finds the child gone and does nothing. notice is nil for a silent child.
func (a *Agent) childSettled(id string, epoch uint64, notice *Entry) (taken bool) {
	if at, live := a.Children[id]; !live || at != epoch {
		return false
	}
	delete(a.Children, id)
	a.Activity++
	if notice != nil {
		a.Inbox = append(a.Inbox, *notice)
	}
	a.settle(a.Outcome)
	return true
}
