package proxy

import (
	"net/http"

	"trunkline/prefix"
)

// unpaired says in the log why a provider may have refused what a client sent: a history
// whose calls and results do not pair goes up as it is, since mending it would break the
// prefix, and each later request of that client is refused like this one.
func (s *Server) unpaired(status int, agent string, body *prefix.Body) {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return
	}
	if calls, results := prefix.Unpaired(body.Items); calls+results > 0 {
		s.Log.Warn("the provider refused a history whose calls and results do not pair",
			"agent", agent, "status", status, "calls_without_result", calls, "results_without_call", results)
	}
}
