package agents

import (
	"errors"
	"fmt"
)

var (
	// ErrUnreadable wraps what is wrong with a record that does not decode.
	ErrUnreadable = errors.New("the agent's record cannot be read")
	// ErrUnknownParent says that a registration names a parent that does not exist.
	ErrUnknownParent = errors.New("the parent agent does not exist")
	// ErrRootMode refuses to register an agent with a mode and without a parent: a child was
	// meant, and as a root it would go on without what it should inherit.
	ErrRootMode = errors.New("an agent without a parent has no mode")
	// ErrFenced says that the exchange has lost its lease: its writes are refused.
	ErrFenced = errors.New("the exchange no longer holds the agent")
	// ErrLeased says that another exchange holds the agent.
	ErrLeased = errors.New("another request of the agent is being served")
	// ErrInterrupted refuses the continuation of a turn that was interrupted.
	ErrInterrupted = errors.New("the turn was interrupted")
	// ErrNothingPending refuses a wake request when no message waits.
	ErrNothingPending = errors.New("the request ends in the agent's own answer and nothing is pending for it")
)

// MismatchError says that a registered agent is claimed with another identity.
type MismatchError struct {
	Field      string
	Have, Want string // as registered; as claimed now; "" is none
}

func (e *MismatchError) Error() string {
	switch {
	case e.Have == "":
		return fmt.Sprintf("the agent is registered without %s, not with %q", e.Field, e.Want)
	case e.Want == "":
		return fmt.Sprintf("the agent is registered with %s %q, not without", e.Field, e.Have)
	}
	return fmt.Sprintf("the agent is registered with %s %q, not %q", e.Field, e.Have, e.Want)
}

// RefusedError is a send or an interrupt that is not permitted or cannot be taken.
// Its text is for the model that asked.
type RefusedError struct {
	Reason Reason
	Target string
	Text   string
	Tree   []string // with Unknown: the ids of the caller's own tree
}

func (e *RefusedError) Error() string { return e.Text }

// Reason is the closed list of why a send or an interrupt is refused.
type Reason string

const (
	NotPermitted Reason = "not_permitted"
	Unknown      Reason = "unknown"
	NotLive      Reason = "not_live"
	TooLong      Reason = "too_long"
	InboxFull    Reason = "inbox_full"
	Stale        Reason = "stale"
	Malformed    Reason = "malformed"
)
