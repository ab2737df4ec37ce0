package agents_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

// stopped is an exchange of a process that has been stopped for longer than its lease, and
// the other process. What it does next goes through b.
func stopped(t *testing.T, test func(t *testing.T, x *agents.Exchange, b *between, other *agents.Service)) {
	synctest.Test(t, func(t *testing.T) {
		store := apart{storetest.Memory()}
		b := &between{Store: store}
		slow := agents.New(agents.Config{Store: b, Holder: "slow"})
		other := agents.New(agents.Config{Store: store, Holder: "other"})
		register(t, slow, "root", "")
		x, err := slow.Begin(t.Context(), key("root"), prompting("p"))
		if err != nil {
			t.Fatal(err)
		}
		x.Abandon()
		time.Sleep(time.Minute)
		test(t, x, b, other)
	})
}

func prompting(name string) agents.Plan {
	return request{"prompt", name}.plan(func(agents.Pending) {})
}

// Where nobody has decided anything meanwhile, its first write takes the lease again.
func TestLapsedHolderTakesItsLeaseAgain(t *testing.T) {
	stopped(t, func(t *testing.T, x *agents.Exchange, b *between, other *agents.Service) {
		if err := x.Accepted(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Begin(t.Context(), key("root"), prompting("q")); !errors.Is(err, agents.ErrLeased) {
			t.Errorf("Begin beside a holder that writes again = %v, want ErrLeased", err)
		}
	})
}

// Where another one comes between its reading and its write, the write is refused, and all
// that follow.
func TestLapsedHolderIsFencedWithinAWrite(t *testing.T) {
	stopped(t, func(t *testing.T, x *agents.Exchange, b *between, other *agents.Service) {
		b.call, b.do = "Commit root", func() {
			y, err := other.Begin(t.Context(), key("root"), prompting("q"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(y.Abandon)
		}
		ctx, h := t.Context(), x.Agent.History
		_, answered := x.Answered(ctx, agents.Turn{History: h, Over: true})
		_, send := x.Send(ctx, x.Agent.Step, 0, "root", "hello")
		for call, err := range map[string]error{
			"Accepted": x.Accepted(ctx), "Record": x.Record(ctx, h, nil, nil), "Answered": answered,
			"Next": x.Next(ctx, prompting("r")), "Send": send, "Interrupt": x.Interrupt(ctx, "root"),
		} {
			if !errors.Is(err, agents.ErrFenced) {
				t.Errorf("%s of a holder that was overtaken = %v, want ErrFenced", call, err)
			}
		}
		root, err := other.Load(ctx, key("root"))
		if err != nil || root.History.Branch != "p q" || root.Lease == nil || root.Lease.Holder != "other" {
			t.Errorf("the record has %+v under %+v, %v", root.History, root.Lease, err)
		}
	})
}

// Where its write comes between another one's reading of the lapsed lease and the takeover,
// nothing is taken over.
func TestLapsedHolderWritesBeforeTakeover(t *testing.T) {
	stopped(t, func(t *testing.T, x *agents.Exchange, _ *between, other *agents.Service) {
		late := agents.New(agents.Config{Holder: "late", Store: &between{Store: other.Store, call: "Commit root", do: func() {
			if err := x.Accepted(t.Context()); err != nil {
				t.Error(err)
			}
		}}})
		if _, err := late.Begin(t.Context(), key("root"), prompting("q")); !errors.Is(err, agents.ErrLeased) {
			t.Errorf("the takeover of a lease that was taken again = %v, want ErrLeased", err)
		}
	})
}

// dying is the store of a process that ends while a write is on its way.
type dying struct {
	agents.Store
	ends          atomic.Bool // with the next Commit
	sent, arrives chan struct{}
}

func (d *dying) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	if d.ends.CompareAndSwap(true, false) {
		close(d.sent)
		<-d.arrives
		defer func() { d.Store = nowhere{d.Store} }()
	}
	return d.Store.Commit(ctx, key, change)
}

type nowhere struct{ agents.Store }

func (nowhere) Commit(context.Context, agents.Key, agents.Change) (uint64, error) {
	return 0, agents.ErrUnavailable
}

// A renewal that arrives after its process has ended is no sign of life to who came after
// that: the agent is free within a lease.
func TestMeetLastRenewalOfTheDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := apart{storetest.Memory()}
		d := &dying{Store: store, sent: make(chan struct{}), arrives: make(chan struct{})}
		first := agents.New(agents.Config{Store: d, Holder: "first"})
		second := agents.New(agents.Config{Store: store, Holder: "second"})
		register(t, first, "root", "")
		x, err := first.Begin(t.Context(), key("root"), prompting("p"))
		if err != nil {
			t.Fatal(err)
		}
		defer x.Abandon()
		d.ends.Store(true)
		<-d.sent
		time.Sleep(time.Millisecond)
		met, err := second.Load(t.Context(), key("root"))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(time.Millisecond)
			close(d.arrives)
		}()
		meets(t, second, met, agents.Free, 11*time.Second)
	})
}
