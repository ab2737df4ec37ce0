package metrics

import (
	"time"

	"trunkline/agents"
)

// Agents returns hooks that count messages and settlements.
func (m *Metrics) Agents() agents.Trace {
	return agents.Trace{
		Sent: func(kind agents.EntryKind, route agents.Route, refused agents.Reason) {
			if refused != "" {
				m.messages.WithLabelValues(string(kind), none, string(refused)).Inc()
				return
			}
			m.messages.WithLabelValues(string(kind), string(route), accepted).Inc()
		},
		Delivered: func(kind agents.EntryKind, waited time.Duration) {
			if kind == agents.Message {
				m.delivery.Observe(max(0, waited.Seconds())) // another machine's clock may be ahead
			}
		},
		Settled: func(o agents.Outcome) { m.settlements.WithLabelValues(string(o)).Inc() },
	}
}
