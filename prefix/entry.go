package prefix

// Origin says who put an entry into a branch.
type Origin uint8

const (
	OriginClient  Origin = iota // an item of the client's own
	OriginAnswer                // an answer of the provider
	OriginResult                // the result of a call that the proxy executed
	OriginMessage               // a message from another agent
	OriginNotice                // a settlement notice
	OriginTask                  // a child's task: the client's item, with guidance or moved system text in it when Seen is set
	originCount
)

// String returns the origin's name as transcripts show it.
func (o Origin) String() string {
	switch o {
	case OriginClient:
		return "client"
	case OriginAnswer:
		return "answer"
	case OriginResult:
		return "result"
	case OriginMessage:
		return "message"
	case OriginNotice:
		return "notice"
	case OriginTask:
		return "task"
	}
	return "unknown"
}

// inserted reports whether the entry is text that the proxy put among the
// client's items and may have to move when the client changes its history.
func (o Origin) inserted() bool { return o == OriginMessage || o == OriginNotice }

// Entry is one item of a branch: the bytes sent upstream and how the client
// sees them. Entries of a Branch are immutable and alias their segment.
type Entry struct {
	// Item is the raw JSON as sent upstream.
	Item []byte

	// Seen is the client's form when it differs from Item: its task without
	// our guidance, one joined message for several steps, an assistant message
	// with only the client's own calls. Empty: the same as Item.
	Seen []byte

	// Hidden: the client never sees it. It is set on our insertions, on our
	// tools' results, and on all but the last item of a group.
	Hidden bool

	// Group, on the last entry of an answer made of several upstream items,
	// counts the entries that the visible message stands for, itself and the
	// hidden ones between included. 0 or 1: it stands alone.
	Group int

	Origin Origin

	// ID names the message or notice inserted, also in an item of the client's
	// that bears it; otherwise empty.
	ID string

	// Source is metadata (JSON) kept beside the item and never sent.
	Source []byte

	// Held, on an assistant item that mixes our calls with the client's, are
	// our results in call order, waiting for the client to return with its own.
	Held []Held
}

// Inserted reports whether the entry is a message or a notice of its own.
func (e *Entry) Inserted() bool { return e.Origin.inserted() }

// Held is the result of one of our calls in a mixed answer.
type Held struct {
	Ordinal int    // position of the call among the assistant item's calls
	Item    []byte // the tool item to send
}

// Visible returns the entry as its client sees it; it means something only
// when the entry is not hidden.
func (e *Entry) Visible() []byte {
	if len(e.Seen) > 0 {
		return e.Seen
	}
	return e.Item
}
