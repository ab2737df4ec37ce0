package agents_test

import (
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// meeting is an exchange of the agent root, and a second process that meets it.
func meeting(t *testing.T, meet func(t *testing.T, x *agents.Exchange, second *agents.Service, met agents.Snapshot)) {
	synctest.Test(t, func(t *testing.T) {
		store := apart{storetest.Memory()}
		first := agents.New(agents.Config{Store: store, Holder: "first"})
		second := agents.New(agents.Config{Store: store, Holder: "second"})
		if _, err := first.Register(t.Context(), key("root"), agents.Identity{}); err != nil {
			t.Fatal(err)
		}
		x, err := first.Begin(t.Context(), key("root"), request{"prompt", "p"}.plan(func(agents.Pending) {}))
		if err != nil {
			t.Fatal(err)
		}
		defer x.Abandon()
		met, err := second.Load(t.Context(), key("root"))
		if err != nil {
			t.Fatal(err)
		}
		meet(t, x, second, met)
	})
}

// meets checks what the second process finds, and that it waits for it at most so long.
func meets(t *testing.T, second *agents.Service, met agents.Snapshot, want agents.Met, within time.Duration) {
	t.Helper()
	start := time.Now()
	got, err := second.Meet(t.Context(), met)
	if err != nil || got != want || time.Since(start) > within {
		t.Errorf("Meet = %v, %v after %v; want %v within %v", got, err, time.Since(start), want, within)
	}
}

func TestMeetLiving(t *testing.T) {
	meeting(t, func(t *testing.T, x *agents.Exchange, second *agents.Service, met agents.Snapshot) {
		meets(t, second, met, agents.Concurrent, 5*time.Second) // it renews every 2 s
	})
}

func TestMeetSilent(t *testing.T) {
	meeting(t, func(t *testing.T, x *agents.Exchange, second *agents.Service, met agents.Snapshot) {
		x.Abandon()
		meets(t, second, met, agents.Free, 11*time.Second)
	})
}

// The answer is recorded, but whether it arrives decides what a second request is.
func TestMeetAnswered(t *testing.T) {
	for delivered, want := range map[bool]agents.Met{true: agents.Concurrent, false: agents.Free} {
		meeting(t, func(t *testing.T, x *agents.Exchange, second *agents.Service, met agents.Snapshot) {
			answer := agents.Turn{History: answered(x.Agent.History, "a"), Over: true, Outcome: agents.Completed}
			if _, err := x.Answered(t.Context(), answer); err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(time.Second)
				if err := x.Close(t.Context(), delivered); err != nil {
					t.Error(err)
				}
			}()
			meets(t, second, met, want, 4*time.Second)
		})
	}
}

// Who comes when the answer is on record comes after it, however that ends.
func TestMeetAfterAnswer(t *testing.T) {
	for _, delivered := range []bool{true, false} {
		meeting(t, func(t *testing.T, x *agents.Exchange, second *agents.Service, _ agents.Snapshot) {
			answer := agents.Turn{History: answered(x.Agent.History, "a"), Over: true, Outcome: agents.Completed}
			if _, err := x.Answered(t.Context(), answer); err != nil {
				t.Fatal(err)
			}
			met, err := second.Load(t.Context(), key("root"))
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(time.Second)
				if err := x.Close(t.Context(), delivered); err != nil {
					t.Error(err)
				}
			}()
			meets(t, second, met, agents.Free, 4*time.Second)
		})
	}
}

// A lease is kept by renewing, however long the exchange takes, and is another's after.
func TestRenewal(t *testing.T) {
	meeting(t, func(t *testing.T, x *agents.Exchange, second *agents.Service, met agents.Snapshot) {
		plan := request{"prompt", "q"}.plan(func(agents.Pending) {})
		time.Sleep(10 * time.Minute)
		if _, err := second.Begin(t.Context(), key("root"), plan); err != agents.ErrLeased {
			t.Errorf("Begin beside a living exchange = %v", err)
		}
		x.Abandon()
		time.Sleep(11 * time.Second)
		y, err := second.Begin(t.Context(), key("root"), plan)
		if err != nil {
			t.Fatal(err)
		}
		defer y.Abandon()
		if err := x.Accepted(t.Context()); err != agents.ErrFenced {
			t.Errorf("Accepted of the first = %v", err)
		}
	})
}
