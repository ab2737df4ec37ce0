package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/proxy/api"
)

// Error is an answer of the proxy itself, in the shape that OpenAI clients read. The
// type trunkline_error and the header X-Trunkline-Error tell it from a provider's.
type Error struct {
	Status  int
	Code    string
	Param   string // the header, field or flag at fault; may be empty
	Message string
	// RetryAfter is told to the client when positive.
	RetryAfter time.Duration
	// cause is what the log tells beyond Message; nil: nothing.
	cause error
}

// detail is the error for the log.
func (e *Error) detail() string {
	if e.cause != nil {
		return e.cause.Error()
	}
	return e.Message
}

func (e *Error) Error() string { return e.Message }

// body is the error as JSON; also what an error event inside a stream carries.
func (e *Error) body() []byte {
	var param *string
	if e.Param != "" {
		param = &e.Param
	}
	type detail struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	b, err := json.Marshal(struct {
		Error detail `json:"error"`
	}{detail{e.Message, "trunkline_error", param, e.Code}})
	if err != nil {
		panic(err) // strings and a pointer to one always marshal
	}
	return b
}

// write answers with the error. The headers must not be out yet.
func (e *Error) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Trunkline-Error", e.Code)
	if e.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer") // RFC 9110, 11.6.1
	}
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	b := e.body()
	h.Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(e.Status)
	w.Write(b)
}

// asError is the one mapping from errors to answers. nil for a client that has left:
// nobody is there to be answered.
func asError(err error) *Error {
	var (
		own       *Error
		syntax    *prefix.SyntaxError
		duplicate *prefix.DuplicateKeyError
		mismatch  *agents.MismatchError
		call      *api.Error
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &call):
		return &Error{Status: call.Status, Code: call.Code, Param: call.Param, Message: call.Message}
	case errors.As(err, &syntax):
		return &Error{Status: 400, Code: "invalid_json", Message: fmt.Sprintf("the request body is not valid JSON: %v", err)}
	case errors.As(err, &duplicate):
		return &Error{Status: 400, Code: "duplicate_key", Param: duplicate.Key, Message: err.Error()}
	case errors.As(err, &mismatch):
		return &Error{Status: 400, Code: "agent_mismatch", Param: "X-Agent-Id", Message: err.Error()}
	case errors.Is(err, agents.ErrUnknownParent):
		return &Error{Status: 404, Code: "unknown_parent", Param: "X-Agent-Parent-Id", Message: "X-Agent-Parent-Id: the parent agent does not exist; its own first request, with the same credential, registers it"}
	case errors.Is(err, agents.ErrRootMode):
		return &Error{Status: 400, Code: "invalid_header", Param: "X-Agent-Mode", Message: "X-Agent-Mode: a root has none; a child names its parent in X-Agent-Parent-Id"}
	case errors.Is(err, agents.ErrNotFound):
		return &Error{Status: 404, Code: "unknown_agent", Param: "X-Agent-Id", Message: "the agent was deleted"}
	case errors.Is(err, agents.ErrInterrupted):
		return &Error{Status: 400, Code: "turn_interrupted", Message: "the turn was interrupted; a new user message starts the next one"}
	case errors.Is(err, agents.ErrNothingPending):
		return &Error{Status: 400, Code: "nothing_pending", Message: err.Error()}
	case errors.Is(err, agents.ErrFenced):
		return &Error{Status: 409, Code: "superseded", Message: "another request of the agent has taken over, or it was deleted"}
	case errors.Is(err, agents.ErrUnavailable):
		return &Error{Status: 503, Code: "store_unavailable", RetryAfter: 2 * time.Second,
			Message: "the store of the agents is unavailable; requests without X-Agent-Id still pass"}
	case errors.Is(err, errSilent):
		return &Error{Status: 504, Code: "upstream_timeout", Message: err.Error()}
	case errors.Is(err, errBroken):
		// Where the connection led is the operator's to know, in the log, not the client's.
		return &Error{Status: 502, Code: "upstream_broken", Message: errBroken.Error(), cause: err}
	default:
		return &Error{Status: 500, Code: "internal", Message: "the proxy failed: " + err.Error()}
	}
}
