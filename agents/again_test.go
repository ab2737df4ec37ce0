package agents_test

import (
	"context"
	"errors"
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// between is a store of one process that something else happens on: once, just before a
// call that the process makes.
type between struct {
	agents.Store
	call string // "Commit root"
	do   func()
}

func (b *between) now(call string) {
	if do := b.do; do != nil && call == b.call {
		b.do = nil
		do()
	}
}

func (b *between) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	b.now("Commit " + key.ID)
	return b.Store.Commit(ctx, key, change)
}

func (b *between) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	b.now("Members " + root.ID)
	return b.Store.Members(ctx, root)
}

func (b *between) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	b.now("Strike " + member.ID)
	return b.Store.Strike(ctx, root, member)
}

func (b *between) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	b.now("Load " + key.ID)
	return b.Store.Load(ctx, key)
}

// late is a process, stopped just before one call, and another one that acts meanwhile.
func late(t *testing.T, call string) (slow, other *agents.Service, meanwhile func(func())) {
	store := apart{storetest.Memory()}
	b := &between{Store: store, call: call}
	slow = agents.New(agents.Config{Store: b, Holder: "slow"})
	other = agents.New(agents.Config{Store: store, Holder: "other"})
	register(t, other, "root", "")
	register(t, other, "a", "root")
	t.Cleanup(func() {
		if b.do != nil {
			t.Errorf("the process never came to %s", call)
		}
	})
	return slow, other, func(do func()) { b.do = do }
}

func register(t *testing.T, s *agents.Service, id, parent string) {
	t.Helper()
	if _, err := s.Register(t.Context(), key(id), agents.Identity{Parent: parent}); err != nil {
		t.Fatalf("register %s: %v", id, err)
	}
}

func remove(t *testing.T, s *agents.Service, id string) {
	t.Helper()
	if err := s.Delete(t.Context(), key(id)); err != nil {
		t.Fatalf("delete %s: %v", id, err)
	}
}

// works checks that an agent can be used, is listed, and that its parent knows of nothing
// else that lives.
func works(t *testing.T, s *agents.Service, id, parent string) {
	t.Helper()
	x, err := s.Begin(t.Context(), key(id), request{"prompt", "p"}.plan(func(agents.Pending) {}))
	if err != nil {
		t.Fatalf("agent %s cannot be used: %v", id, err)
	}
	if err := x.Close(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	below, err := s.List(t.Context(), key(parent), agents.Children)
	if err != nil || len(below) != 1 || below[0].ID != id {
		t.Errorf("below %s are %v, %v; want %s", parent, below, err, id)
	}
	p, err := s.Load(t.Context(), key(parent))
	if err != nil || len(p.Children) != 1 || p.Children[id] != x.Agent.Opened {
		t.Errorf("%s lists %v, %v; want %s at %d", parent, p.Children, err, id, x.Agent.Opened)
	}
}

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

// leave begins to delete an agent, and ends when it is marked.
func leave(t *testing.T, store agents.Store, id string) {
	ctx, cancel := context.WithCancel(t.Context())
	s := agents.New(agents.Config{Store: &between{Store: store, call: "Members root", do: cancel}, Holder: "left"})
	if err := s.Delete(ctx, key(id)); !errors.Is(err, context.Canceled) {
		t.Fatalf("Delete that is left = %v", err)
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
