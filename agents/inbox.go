package agents

import (
	"slices"
	"strconv"
	"time"
)

// Bounds of an inbox. Beyond them a send is refused; nothing is ever trimmed.
const (
	MaxEntries = 64        // pending messages; notices do not count
	MaxMessage = 64 << 10  // bytes of one message's text
	MaxClaim   = 256 << 10 // bytes of text that one step boundary takes
)

// Unread is how long a message waits before its sender is told, once, that it still does.
const Unread = 24 * time.Hour

// Entry is one pending steer: an agent's message, or a notice to the agent.
// Its text is a blob of the agent that it waits for, so that the record stays small.
type Entry struct {
	ID      string    `json:"id"`
	Kind    EntryKind `json:"kind"`
	From    string    `json:"from"`
	Via     string    `json:"via,omitempty"`  // "api" when a program sent it
	At      int64     `json:"at"`             // accepted, Unix milliseconds
	Seq     uint64    `json:"seq,omitempty"`  // Activity with its acceptance
	Step    uint64    `json:"step,omitempty"` // of the sender's model that made it
	Size    int       `json:"size"`           // bytes of text
	Outcome Outcome   `json:"outcome,omitempty"`
	Overdue bool      `json:"overdue,omitempty"` // its sender was told that it is unread
}

// EntryKind is what an entry is.
type EntryKind string

const (
	Message EntryKind = "message"
	// Notice says that the child From settled with Outcome; its text is the closing
	// message.
	Notice EntryKind = "notice"
	// Report says what became of messages that the agent sent to From; its text says all.
	Report EntryKind = "report"
)

// Pending is an entry with its text.
type Pending struct {
	Entry
	Text string
}

// TextBlob is the id of the blob that holds the text.
func (e Entry) TextBlob() string { return "text:" + e.ID }

// sendID names a send for ever: the same call of the same step is the same message,
// however often it is executed.
func sendID(from string, step uint64, ordinal int) string {
	return from + "/" + strconv.FormatUint(step, 10) + "/" + strconv.Itoa(ordinal)
}

// noticeID names a settlement by the child's last step: an id that is registered again
// numbers its activations from one, but its steps go on.
func noticeID(child string, step uint64) string {
	return "settled/" + child + "/" + strconv.FormatUint(step, 10)
}

func reportID(from string, seq uint64) string {
	return "report/" + from + "/" + strconv.FormatUint(seq, 10)
}

// boundary returns the entries that a step boundary takes: in order, until MaxClaim bytes
// of text, at least one.
func (a *Agent) boundary() []Entry {
	size := 0
	for i, e := range a.Inbox {
		if size += e.Size; i > 0 && size > MaxClaim {
			return a.Inbox[:i:i]
		}
	}
	return a.Inbox
}

// messages counts the entries that MaxEntries bounds.
func (a *Agent) messages() int {
	n := 0
	for _, e := range a.Inbox {
		if e.Kind == Message {
			n++
		}
	}
	return n
}

// enqueue appends an entry to the inbox.
func (a *Agent) enqueue(e Entry) {
	a.Activity++
	e.Seq = a.Activity
	a.Inbox = append(a.Inbox, e)
}

// unreserved returns the entries of the next step boundary that stand nowhere yet.
func (a *Agent) unreserved() []Entry {
	var out []Entry
	for _, e := range a.boundary() {
		if !slices.Contains(a.Reserved, e.ID) {
			out = append(out, e)
		}
	}
	return out
}

// reserved returns the entries that stand in the history and wait for acceptance.
func (a *Agent) reserved() []Entry {
	var out []Entry
	for _, e := range a.Inbox {
		if slices.Contains(a.Reserved, e.ID) {
			out = append(out, e)
		}
	}
	return out
}

// take removes the reserved entries: the provider has them. It returns their text blobs.
func (a *Agent) take() (drop []string) {
	if len(a.Reserved) == 0 {
		return nil
	}
	left := a.Inbox[:0:0]
	for _, e := range a.Inbox {
		if slices.Contains(a.Reserved, e.ID) {
			drop = append(drop, e.TextBlob())
			a.happened(Event{Seq: e.Seq, Entry: &e})
			continue
		}
		left = append(left, e)
	}
	a.Inbox, a.Reserved = left, nil
	return drop
}
