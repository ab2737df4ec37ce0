package record

import (
	"context"
	"errors"

	"trunkline/agents"
	"trunkline/proxy"
)

// gated is the store of a replay: an exchange reads and writes agents' records in its turn,
// as it was recorded.
type gated struct{ agents.Store }

// turns is where an exchange is in its touches. The player's board guards it.
type turns struct {
	touches []Touch // that take turns, in order
	next    int     // of them: what is before was done, or will not be
	granted int     // of them: what is before may be done
	want    int     // of them: what the exchange comes to; len(touches) for one that was not recorded
	waits   bool    // it waits for its turn there
	// loose: what was not recorded may be done, too. So it is while nothing but the exchange
	// is waited for, and for ever where no turns were recorded.
	loose bool
}

// find returns the touch that comes next of those like this one, or len(touches). A read is
// looked for before the next write: others were of no consequence.
func (t *turns) find(agent string, write bool) int {
	for i := t.next; i < len(t.touches); i++ {
		switch touch := &t.touches[i]; {
		case touch.Write == write && touch.Agent == agent:
			return i
		case touch.Write && !write:
			return len(t.touches)
		}
	}
	return len(t.touches)
}

func (t *turns) may(i int) bool { return i < t.granted || i == len(t.touches) && t.loose }

// blocked reports whether the exchange waits for its turn.
func (t *turns) blocked() bool { return t.waits && !t.may(t.want) }

// touch does what an exchange does with an agent's record when its turn has come. It stays
// to be done where do fails.
func (t *tally) touch(ctx context.Context, agent string, write bool, do func() error) error {
	at := 0
	t.update(func() {
		at = t.find(agent, write)
		t.want, t.waits = at, at < len(t.touches) || write
	})
	defer t.update(func() { t.waits = false })
	if err := t.wait(ctx, func() bool { return !t.waits || t.may(at) }); err != nil {
		return err
	}
	err := do()
	if at < len(t.touches) && (err == nil || !write && errors.Is(err, agents.ErrNotFound)) {
		t.update(func() { t.next = max(t.next, at+1) })
	}
	return err
}

func (g gated) Load(ctx context.Context, key agents.Key) (stored agents.Stored, err error) {
	err = g.touch(ctx, key.ID, false, func() error {
		stored, err = g.Store.Load(ctx, key)
		return err
	})
	return stored, err
}

func (g gated) Commit(ctx context.Context, key agents.Key, change agents.Change) (version uint64, err error) {
	err = g.touch(ctx, key.ID, true, func() error {
		version, err = g.Store.Commit(ctx, key, change)
		return err
	})
	return version, err
}

func (g gated) Delete(ctx context.Context, key agents.Key, version uint64) error {
	return g.touch(ctx, key.ID, true, func() error { return g.Store.Delete(ctx, key, version) })
}

func (g gated) Enroll(ctx context.Context, root agents.Key, id string) error {
	return g.touch(ctx, "", true, func() error { return g.Store.Enroll(ctx, root, id) })
}

func (g gated) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	return g.touch(ctx, "", true, func() error { return g.Store.Strike(ctx, root, member) })
}

func (g gated) Members(ctx context.Context, root agents.Key) (members []agents.Member, err error) {
	err = g.touch(ctx, "", false, func() error {
		members, err = g.Store.Members(ctx, root)
		return err
	})
	return members, err
}

// touch does what nobody's exchange does, such as the renewal of a lease, at once.
func (g gated) touch(ctx context.Context, agent string, write bool, do func() error) error {
	if t, ok := proxy.RecordingOf(ctx).(*tally); ok {
		return t.touch(ctx, agent, write, do)
	}
	return do()
}
