package storetest_test

import (
	"errors"
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

func TestFailing(t *testing.T) {
	key := agents.Key{ID: "a"}
	for _, test := range []struct {
		name   string
		fault  storetest.Fault
		stored bool // the failed commit took effect
		later  bool // the call after it works
	}{
		{"refused", storetest.Fault{}, false, true},
		{"answer lost", storetest.Fault{After: true}, true, true},
		{"crash before", storetest.Fault{Stays: true}, false, false},
		{"crash after", storetest.Fault{After: true, Stays: true}, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			inner := storetest.Memory()
			failing := storetest.NewFailing(inner, 2, test.fault)
			if err := failing.Enroll(t.Context(), key, "a"); err != nil {
				t.Fatalf("the call before the fault: %v", err)
			}
			if version, err := failing.Commit(t.Context(), key, agents.Change{}); !errors.Is(err, agents.ErrUnavailable) {
				t.Fatalf("the failed call = %d, %v", version, err)
			}
			if _, err := inner.Load(t.Context(), key); (err == nil) != test.stored {
				t.Fatalf("after the failed commit, Load = %v", err)
			}
			if _, err := failing.Members(t.Context(), key); (err == nil) != test.later {
				t.Fatalf("the call after the fault = %v", err)
			}
			if failing.Calls() != 3 {
				t.Fatalf("%d calls were counted, want 3", failing.Calls())
			}
		})
	}
}

// A refusal of the inner store is not hidden by a fault that comes after it.
func TestFailingKeepsRefusals(t *testing.T) {
	failing := storetest.NewFailing(storetest.Memory(), 1, storetest.Fault{After: true})
	_, err := failing.Commit(t.Context(), agents.Key{ID: "a"}, agents.Change{Version: 3})
	if !errors.Is(err, agents.ErrConflict) {
		t.Fatalf("Commit = %v, want ErrConflict", err)
	}
}
