package api

import (
	"errors"

	"trunkline/agents"
	"trunkline/tools"
)

// Error is why a call is not done, as its caller is told.
type Error struct {
	Status  int // of the answer
	Code    string
	Param   string // the argument, parameter or header at fault; may be empty
	Message string
}

func (e *Error) Error() string { return e.Message }

// invalid refuses an argument of a call.
func invalid(param, why string) *Error {
	message := why
	if param != "" {
		message = param + ": " + why
	}
	return &Error{Status: 400, Code: "invalid_request", Param: param, Message: message}
}

// failure says what is wrong with agents to those who speak of them in bodies and paths.
func failure(err error) error {
	var (
		refused  *agents.RefusedError
		mismatch *agents.MismatchError
	)
	switch {
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.As(err, &mismatch):
		return &Error{Status: 409, Code: "agent_exists", Param: "id", Message: mismatch.Error()}
	case errors.Is(err, agents.ErrUnknownParent):
		return &Error{Status: 404, Code: "unknown_parent", Param: "parent_id", Message: "parent_id: there is no such agent among those of this credential"}
	case errors.Is(err, agents.ErrNotFound):
		return &Error{Status: 404, Code: "unknown_agent", Message: "there is no such agent among those of this credential"}
	case errors.Is(err, agents.ErrUnreadable):
		return &Error{Status: 500, Code: "unreadable_record", Message: "the agent's record cannot be read"}
	case errors.Is(err, agents.ErrBadCursor):
		return invalid("cursor", err.Error())
	}
	return err
}

// refusal says why a message was not taken, as the tool says it to a model.
func refusal(r *agents.RefusedError) *Error {
	e := &Error{Status: 403, Code: string(r.Reason), Message: r.Text}
	switch r.Reason {
	case agents.Unknown:
		e.Status, e.Code, e.Message = 404, "unknown_agent", tools.Unknown(r.Target, r.Tree)
	case agents.NotLive, agents.Stale:
		e.Status = 409
	case agents.TooLong:
		e.Status, e.Param = 413, "message"
	case agents.InboxFull:
		e.Status = 429
	case agents.Malformed:
		e.Status, e.Param = 400, "message"
	}
	return e
}
