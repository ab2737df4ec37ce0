package agents

import "slices"

// Intent is an append to another agent's record, decided in this one. It stays in the
// Outbox until the append is known to be done; repeating it changes nothing, because the
// target recognises it: a start and a settlement by the activation that it lists or no
// longer lists, a report by its number.
type Intent struct {
	Kind IntentKind `json:"kind"`
	To   string     `json:"to"`
	// Opened is the child's activation that started or settled.
	Opened uint64 `json:"opened,omitempty"`
	// Seq names what the target is told: a settlement by the child's last step, a report
	// by the version that it was decided on. One neighbour's reports have rising numbers.
	Seq     uint64  `json:"seq,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"`
	Closing string  `json:"closing,omitempty"` // blob of the closing message; "" none
	Silent  bool    `json:"silent,omitempty"`  // settle without a notice
	Count   int     `json:"count,omitempty"`   // messages that a report is about
	// Step is the latest step that made one of them; 0: not known. An agent that was born
	// later has only the sender's id.
	Step uint64 `json:"step,omitempty"`
}

// IntentKind is what an intent does to its target.
type IntentKind string

const (
	ChildStarted IntentKind = "child-started"
	ChildSettled IntentKind = "child-settled"
	// SendRefused reports that the provider refused a request with the target's messages.
	SendRefused IntentKind = "send-refused"
	// SendUnread reports that messages of the target have been unread for Unread.
	SendUnread IntentKind = "send-unread"
	// SendLost reports, to a live sender, that an agent was deleted with its messages.
	SendLost IntentKind = "send-lost"
)

// childStarted lists a child's activation.
func (a *Agent) childStarted(id string, opened uint64) (taken bool) {
	if a.Children[id] >= opened {
		return false
	}
	if a.Children == nil {
		a.Children = map[string]uint64{}
	}
	a.Children[id] = opened
	a.Activity++
	return true
}

// childSettled removes a child's activation and takes its notice, both or neither: a
// repeat finds the activation gone and does nothing. notice is nil for a silent child.
func (a *Agent) childSettled(id string, opened uint64, notice *Entry) (taken bool) {
	if at, live := a.Children[id]; !live || at != opened {
		return false
	}
	delete(a.Children, id)
	a.forget()
	a.Activity++
	if notice != nil {
		a.enqueue(*notice)
	}
	a.settle(a.Outcome)
	return true
}

// report decides to tell the sender of each of the entries, once for all of its own, what
// became of them. What a program sent in an agent's name that agent does not hear of.
func (a *Agent) report(kind IntentKind, seq uint64, entries []Entry) {
	from := len(a.Outbox)
	for _, e := range entries {
		if e.Kind != Message || e.Via != "" {
			continue
		}
		i := slices.IndexFunc(a.Outbox[from:], func(in Intent) bool { return in.To == e.From })
		if i < 0 {
			a.Outbox = append(a.Outbox, Intent{Kind: kind, To: e.From, Seq: seq, Count: 1, Step: e.Step})
			continue
		}
		in := &a.Outbox[from+i]
		in.Count++
		in.Step = max(in.Step, e.Step)
	}
}

// reported takes a neighbour's report, once.
func (a *Agent) reported(from string, seq uint64, e Entry) (taken bool) {
	if a.Told[from] >= seq {
		return false
	}
	if a.Told == nil {
		a.Told = map[string]uint64{}
	}
	a.Told[from] = seq
	a.enqueue(e)
	return true
}

// overdue reports messages that have been unread for too long, each once.
func (a *Agent) overdue(now int64, seq uint64) (changed bool) {
	var late []Entry
	for i, e := range a.Inbox {
		if e.Kind == Message && !e.Overdue && now-e.At > Unread.Milliseconds() {
			a.Inbox[i].Overdue = true
			late = append(late, e)
		}
	}
	a.report(SendUnread, seq, late)
	return len(late) > 0
}
