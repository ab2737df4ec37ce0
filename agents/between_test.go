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

// leave begins to delete an agent, and ends when it is marked.
func leave(t *testing.T, store agents.Store, id string) {
	ctx, cancel := context.WithCancel(t.Context())
	s := agents.New(agents.Config{Store: &between{Store: store, call: "Members root", do: cancel}, Holder: "left"})
	if err := s.Delete(ctx, key(id)); !errors.Is(err, context.Canceled) {
		t.Fatalf("Delete that is left = %v", err)
	}
}
