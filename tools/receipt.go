package tools

import "trunkline/agents"

// Receipt returns what the sender of an accepted message reads.
func Receipt(r agents.Receipt) string {
	next := ReadsNextStep
	if r.Route == agents.RouteParked {
		next = WaitsForClient
	}
	return Delivered(r.Target, next)
}
