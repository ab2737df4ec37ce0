package metrics

import "trunkline/proxy/record"

// Recorder returns hooks that count what a recorder loses.
func (m *Metrics) Recorder() record.Trace {
	return record.Trace{Dropped: func(why record.Lost) { m.dropped.WithLabelValues(string(why)).Inc() }}
}
