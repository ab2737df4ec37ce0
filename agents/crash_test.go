package agents_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// TestCrashPoints ends a process at each store call of a life in turn, before and after
// the call's effect. Another process then finds nothing that waits for ever: no turn
// that nobody can continue, no intent, no half-deleted agent, no name without a record.
func TestCrashPoints(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n, more := 1, true; more; n++ {
			name := fmt.Sprintf("call %d, effect %t", n, after)
			more = t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { more = crashAt(t, n, after) })
			}) && more
		}
	}
}

// crashAt reports whether the life came as far as the n-th call.
func crashAt(t *testing.T, n int, after bool) bool {
	inner := apart{storetest.Memory()}
	failing := storetest.NewFailing(inner, n, storetest.Fault{After: after, Stays: true})
	err := live(t, agents.New(agents.Config{Store: failing, Holder: "first"}))
	if err != nil && !errors.Is(err, agents.ErrUnavailable) {
		t.Fatal(err)
	}
	time.Sleep(time.Hour) // leases lapse, open turns end
	second := agents.New(agents.Config{Store: inner, Holder: "second"})
	for range 3 { // from the leaves up
		if err := second.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	root := key("root")
	ids, err := names(t.Context(), inner, root)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		a, err := second.Load(t.Context(), key(id))
		if err != nil {
			t.Errorf("agent %s: %v", id, err)
			continue
		}
		if a.Status == agents.Running || a.Parent != "" && a.Live() || len(a.Children) > 0 || len(a.Outbox) > 0 {
			t.Errorf("agent %s is %s over %v with %v in its outbox", id, a.Status, a.Children, a.Outbox)
		}
	}
	for _, id := range []string{"root", "kept", "gone", "leaf", "undone"} {
		if _, err := inner.Load(t.Context(), key(id)); err == nil && !slices.Contains(ids, id) {
			t.Errorf("agent %s has a record and no name", id)
		}
	}
	return n <= failing.Calls()
}

// live is a life with one of everything: turns, messages, a settlement, a rollback, a
// deletion.
func live(t *testing.T, s *agents.Service) error {
	ctx := t.Context()
	see := func(agents.Pending) {}
	var open []*agents.Exchange
	defer func() {
		for _, x := range open {
			x.Abandon()
		}
	}()
	begin := func(id, parent string) (*agents.Exchange, error) {
		if _, err := s.Register(ctx, key(id), agents.Identity{Parent: parent}); err != nil {
			return nil, err
		}
		x, err := s.Begin(ctx, key(id), request{"prompt", "p"}.plan(see))
		if err == nil {
			open = append(open, x)
			err = x.Accepted(ctx)
		}
		return x, err
	}
	root, err := begin("root", "")
	if err != nil {
		return err
	}
	kept, err := begin("kept", "root")
	if err != nil {
		return err
	}
	if _, err := begin("gone", "root"); err != nil {
		return err
	}
	if _, err := begin("leaf", "gone"); err != nil {
		return err
	}
	if _, err := s.Register(ctx, key("undone"), agents.Identity{Parent: "root"}); err != nil {
		return err
	}
	undone, err := s.Begin(ctx, key("undone"), request{"prompt", "p"}.plan(see))
	if err != nil {
		return err
	}
	open = append(open, undone)
	for i, to := range []string{"kept", "gone"} {
		if _, err := root.Send(ctx, root.Agent.Step, i, to, "hello"); err != nil {
			return err
		}
	}
	if err := undone.Rollback(ctx); err != nil {
		return err
	}
	if err := kept.Next(ctx, request{"continue", "r"}.plan(see)); err != nil {
		return err
	}
	if err := kept.Accepted(ctx); err != nil {
		return err
	}
	if _, err := kept.Answered(ctx, agents.Turn{History: kept.Agent.History, Over: true, Outcome: agents.Completed, Closing: "bye", Extend: true}); err != nil {
		return err
	}
	if err := kept.Close(ctx, true); err != nil {
		return err
	}
	return s.Delete(ctx, key("gone"))
}

func key(id string) agents.Key { return agents.Key{Tenant: "t", ID: id} }
