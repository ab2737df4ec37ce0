package agents_test

import (
	"fmt"
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// Of what is over an agent keeps the latest; of what is pending, all.
func TestEventsAreBounded(t *testing.T) {
	s := agents.New(agents.Config{Store: storetest.Memory(), Holder: "one"})
	begin := func(id, prompt string) *agents.Exchange {
		t.Helper()
		x, err := s.Begin(t.Context(), key(id), request{"prompt", prompt}.plan(func(agents.Pending) {}))
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Accepted(t.Context()); err != nil {
			t.Fatal(err)
		}
		return x
	}
	for id, parent := range map[string]string{"root": "", "kid": "root"} {
		if _, err := s.Register(t.Context(), key("root"), agents.Identity{}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Register(t.Context(), key(id), agents.Identity{Parent: parent}); err != nil {
			t.Fatal(err)
		}
	}
	defer begin("root", "p").Abandon()
	send := func(n int) {
		t.Helper()
		for i := range n {
			if _, err := s.SendAs(t.Context(), key("root"), "kid", fmt.Sprint(i), ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(40)
	defer begin("kid", "p").Abandon()
	send(30)
	kid, err := s.Load(t.Context(), key("kid"))
	if err != nil {
		t.Fatal(err)
	}
	events := kid.Events(0)
	if len(events) != 16+30 {
		t.Fatalf("%d events, want the latest 16 that were read and the 30 that wait", len(events))
	}
	for i := 1; i < len(events); i++ {
		if events[i].Seq <= events[i-1].Seq {
			t.Errorf("event %d has number %d after %d", i, events[i].Seq, events[i-1].Seq)
		}
	}
	if rest := kid.Events(events[40].Seq); len(rest) != 5 || rest[0].Seq != events[41].Seq {
		t.Errorf("%d events after the 41st, want the 5 that follow", len(rest))
	}
}
