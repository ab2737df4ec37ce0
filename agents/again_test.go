package agents_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// A deletion that somebody else has carried out meanwhile does not go on with what was
// registered under the id again.
func TestLateDeletionSparesNewChildren(t *testing.T) {
	for _, call := range []string{"Members root", "Load c", "Commit c", "Strike c", "Strike a"} {
		t.Run(call, func(t *testing.T) {
			slow, other, meanwhile := late(t, call)
			register(t, other, "c", "a")
			meanwhile(func() {
				remove(t, other, "a")
				register(t, other, "a", "root")
				register(t, other, "c", "a")
			})
			remove(t, slow, "a")
			works(t, other, "a", "root")
			works(t, other, "c", "a")
		})
	}
}

// Nor does a sweep that goes on with a deletion which its own process had to leave.
func TestLateSweepSparesNewChildren(t *testing.T) {
	for _, call := range []string{"Members root", "Load a", "Load c", "Commit c", "Strike c", "Strike a"} {
		t.Run(call, func(t *testing.T) {
			slow, other, meanwhile := late(t, call)
			register(t, other, "c", "a")
			leave(t, other.Store, "a")
			meanwhile(func() {
				remove(t, other, "a")
				register(t, other, "a", "root")
				register(t, other, "c", "a")
			})
			if err := slow.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			works(t, other, "a", "root")
			works(t, other, "c", "a")
		})
	}
}

// A parent that is deleted and registered again while a child is registered under it is
// another parent: the child is registered under that one.
func TestRegistrationUnderParentThatReturns(t *testing.T) {
	slow, other, meanwhile := late(t, "Commit c")
	meanwhile(func() {
		remove(t, other, "a")
		register(t, other, "b", "root")
		register(t, other, "a", "b")
	})
	register(t, slow, "c", "a")
	c, err := other.Load(t.Context(), key("c"))
	if err != nil || c.Depth != 3 {
		t.Errorf("the child is registered at depth %d, %v; want 3", c.Depth, err)
	}
	works(t, other, "c", "a")
}

// A start that is on its way to the parent while the child is deleted leaves no child there
// that nobody will ever settle.
func TestLateStartOfDeletedChild(t *testing.T) {
	slow, other, meanwhile := late(t, "Commit root")
	meanwhile(func() { remove(t, other, "a") })
	_, err := slow.Begin(t.Context(), key("a"), request{"prompt", "p"}.plan(func(agents.Pending) {}))
	if err == nil {
		t.Error("a deleted agent was begun")
	}
	root, err := other.Load(t.Context(), key("root"))
	if err != nil || len(root.Children) > 0 {
		t.Errorf("the root lists %v, %v; want nobody", root.Children, err)
	}
}

// Who strikes a name that had no record is late when the id was registered meanwhile.
func TestLateStrikeLeavesNewName(t *testing.T) {
	slow, other, meanwhile := late(t, "Strike a")
	remove(t, other, "a")
	if err := other.Store.Enroll(t.Context(), key("root"), "a"); err != nil { // and the process ends
		t.Fatal(err)
	}
	meanwhile(func() { register(t, other, "a", "root") })
	if err := slow.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	works(t, other, "a", "root")
}

// A record that an earlier version of the program has written in the meantime, which knows of
// no births, costs nobody his parent.
func TestBirthsThatWereLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.Memory()
		s := agents.New(agents.Config{Store: store, Holder: "new"})
		register(t, s, "root", "")
		time.Sleep(time.Second)
		register(t, s, "a", "root")
		for range 2 {
			root, err := s.Load(t.Context(), key("root"))
			if err != nil {
				t.Fatal(err)
			}
			root.Born = 0
			data, err := json.Marshal(root.Agent)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := store.Commit(t.Context(), key("root"), agents.Change{Version: root.Version, Data: data}); err != nil {
				t.Fatal(err)
			}
			if err := s.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			works(t, s, "a", "root")
		}
	})
}
