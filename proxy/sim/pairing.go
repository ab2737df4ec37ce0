package sim

import (
	"fmt"
	"slices"
	"strings"
)

// checkPairing refuses a history in which calls and results do not pair up:
// every call is answered directly after its message, and every result answers
// such a call. Ids are paired by position, since some models repeat them.
func checkPairing(items []Item) error {
	var pending []string
	for i, it := range items {
		if it.Role == "tool" {
			k := slices.Index(pending, it.CallID)
			if k < 0 {
				return fmt.Errorf("messages[%d]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'", i)
			}
			pending = slices.Delete(pending, k, k+1)
			continue
		}
		if len(pending) > 0 {
			return unanswered(pending)
		}
		for _, c := range it.Calls {
			pending = append(pending, c.ID)
		}
	}
	if len(pending) > 0 {
		return unanswered(pending)
	}
	return nil
}

func unanswered(ids []string) error {
	return fmt.Errorf("an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'; the following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}
