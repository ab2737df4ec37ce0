package metrics

import (
	"testing"
	"time"

	"trunkline/agents"
)

func TestMessagesAreCounted(t *testing.T) {
	m := New(Config{})
	trace := m.Agents()
	trace.Sent(agents.Message, agents.RouteStep, "")
	trace.Sent(agents.Message, agents.RouteParked, "")
	trace.Sent(agents.Message, "", agents.InboxFull)
	trace.Sent(agents.Notice, agents.RouteStep, "")
	trace.Settled(agents.Aborted)
	want(t, m, MessagesTotal, map[string]float64{
		"message accepted step": 1, "message accepted parked": 1, "message inbox_full none": 1, "notice accepted step": 1,
	})
	want(t, m, SettlementsTotal, map[string]float64{"aborted": 1})
}

// TestDeliveryIsOfMessages: a notice is nobody's message.
func TestDeliveryIsOfMessages(t *testing.T) {
	m := New(Config{})
	trace := m.Agents()
	trace.Delivered(agents.Message, time.Second)
	trace.Delivered(agents.Message, -time.Second) // by a clock that is behind the sender's
	trace.Delivered(agents.Notice, time.Second)
	want(t, m, MessageDeliverySeconds, map[string]float64{"": 2})
}
