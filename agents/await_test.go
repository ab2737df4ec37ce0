package agents_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// A wait hears of another process's change without any hint, on its own timer.
func TestAwaitNeedsNoHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := apart{storetest.Memory()}
		waiter := agents.New(agents.Config{Store: store, Holder: "waiter"})
		other := agents.New(agents.Config{Store: store, Holder: "other"})
		if _, err := other.Register(t.Context(), key("root"), agents.Identity{}); err != nil {
			t.Fatal(err)
		}
		came := make(chan agents.Snapshot)
		go func() {
			snap, err := waiter.Await(t.Context(), key("root"), 0)
			if err != nil {
				t.Error(err)
			}
			came <- snap
		}()
		synctest.Wait()
		x, err := other.Begin(t.Context(), key("root"), request{"prompt", "p"}.plan(func(agents.Pending) {}))
		if err != nil {
			t.Fatal(err)
		}
		defer x.Abandon()
		began := time.Now()
		if snap := <-came; snap.Status != agents.Running || time.Since(began) > waiter.Lease {
			t.Errorf("after %s the agent is %s, want it running", time.Since(began), snap.Status)
		}
	})
}

// Who waits keeps an idle root live, and no open turn.
func TestTouchIsForIdleRoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := agents.New(agents.Config{Store: storetest.Memory(), Holder: "one", Residency: time.Hour, RootTTL: 10 * time.Hour})
		if _, err := s.Register(t.Context(), key("root"), agents.Identity{}); err != nil {
			t.Fatal(err)
		}
		x, err := s.Begin(t.Context(), key("root"), request{"prompt", "p"}.plan(func(agents.Pending) {}))
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Close(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		status := func(hours int) agents.Status {
			for range hours {
				time.Sleep(time.Hour) // the bubble's
				_, err := s.Touch(t.Context(), key("root"))
				if err := errors.Join(err, s.Sweep(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			snap, err := s.Load(t.Context(), key("root"))
			if err != nil {
				t.Fatal(err)
			}
			return snap.Status
		}
		if got := status(2); got != agents.Idle {
			t.Errorf("an open turn that somebody waits for is %s after its residency, want idle", got)
		}
		if got := status(30); got != agents.Idle {
			t.Errorf("a root that somebody waits for is %s after its time, want idle", got)
		}
	})
}
