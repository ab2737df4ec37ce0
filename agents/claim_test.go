package agents_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// TestClaimBound: a step boundary takes 256 KiB of text, in order; the rest waits, and
// keeps the turn open.
func TestClaimBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s := agents.New(agents.Config{Store: storetest.Memory(), Holder: "p"})
		see := func(agents.Pending) {}
		begin := func(id, parent string) *agents.Exchange {
			if _, err := s.Register(ctx, key(id), agents.Identity{Parent: parent}); err != nil {
				t.Fatal(err)
			}
			x, err := s.Begin(ctx, key(id), request{"prompt", "p"}.plan(see))
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		root, child := begin("root", ""), begin("child", "root")
		for i := range 6 {
			text := strings.Repeat(fmt.Sprint(i), agents.MaxMessage)
			if _, err := root.Send(ctx, root.Agent.Step, i, "child", text); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := root.Send(ctx, root.Agent.Step, 6, "child", strings.Repeat("x", agents.MaxMessage+1)); err == nil {
			t.Error("a message beyond 64 KiB was taken")
		}
		for _, want := range []int{4, 2} {
			if err := child.Next(ctx, request{"continue", fmt.Sprint("r", want)}.plan(see)); err != nil {
				t.Fatal(err)
			}
			if got := len(child.Agent.Reserved); got != want {
				t.Fatalf("a boundary took %d messages of 64 KiB; want %d", got, want)
			}
			if err := child.Accepted(ctx); err != nil {
				t.Fatal(err)
			}
			over, err := child.Answered(ctx, agents.Turn{History: child.Agent.History, Over: true, Outcome: agents.Completed, Extend: true})
			if err != nil || over != (want == 2) {
				t.Fatalf("Answered = %t, %v with %d entries left", over, err, len(child.Agent.Inbox))
			}
		}
		for _, x := range []*agents.Exchange{root, child} {
			x.Abandon()
		}
	})
}
