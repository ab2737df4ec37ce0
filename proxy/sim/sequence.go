package sim

import (
	"fmt"
	"net/http"
)

// Sequence answers from lists: conversation → its answers in order, chosen by
// Request.Conversation and Request.Ordinal. A request that no list covers fails
// with 400 and code script_exhausted, which SDKs do not retry.
func Sequence(lists map[string][]Answer) Script {
	return func(r Request) Answer {
		list := lists[r.Conversation]
		if r.Ordinal < len(list) {
			return list[r.Ordinal]
		}
		message := fmt.Sprintf("no answer scripted for request %d of conversation %q", r.Ordinal, r.Conversation)
		return Answer{Fail: &Failure{Status: http.StatusBadRequest, Body: errorBody(message, "invalid_request_error", "script_exhausted")}}
	}
}
