package agents_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"trunkline/agents"
)

// ledger is the naive model beside the agents: what was accepted, and what the provider
// was sent and took. It holds every provider request against the rules of delivery.
type ledger struct {
	t    *testing.T
	mu   sync.Mutex
	mail map[string]string          // message id → target, of accepted sends
	seen map[string]map[string]bool // agent → entries in requests that the provider took
	done map[string]map[string]bool // agent → entries whose acceptance is on record
	back map[string]int             // child → rollbacks that were asked for
	// deleted are agents that may live twice under one id: a message to the first is new
	// to the second.
	deleted map[string]bool
}

func newLedger(t *testing.T) *ledger {
	return &ledger{
		t: t, mail: map[string]string{}, seen: map[string]map[string]bool{}, done: map[string]map[string]bool{}, back: map[string]int{}, deleted: map[string]bool{},
	}
}

func (l *ledger) accepted(r agents.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mail[r.MessageID] = r.Target
}

func (l *ledger) rolledBack(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.back[id]++
}

func (l *ledger) began(x *agents.Exchange) { l.took(x) }

// took: nothing is reserved again whose acceptance is on record.
func (l *ledger) took(x *agents.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range x.Agent.Reserved {
		if l.done[x.Key.ID][id] && !l.deleted[x.Key.ID] {
			l.t.Errorf("agent %s is given %s again", x.Key.ID, id)
		}
	}
}

// sent holds a provider request against the rules: each entry once, each neighbour's
// messages in the order of its steps, and each notice behind what its activation sent. (What
// the last step of an activation has recorded the next one may execute: behind the notice.)
func (l *ledger) sent(x *agents.Exchange) {
	items := strings.Fields(x.Agent.History.Branch)
	type position struct{ step, ordinal uint64 }
	last := map[string]position{} // neighbour → of the last that it sent
	once := map[string]bool{}
	for _, item := range items {
		if once[item] {
			l.t.Errorf("agent %s is sent %s twice: %s", x.Key.ID, item, items)
		}
		once[item] = true
		from, step, ordinal, ok := place(item)
		if !ok {
			continue
		}
		was := last[from]
		if step < was.step || step == was.step && ordinal != 0 && ordinal <= was.ordinal {
			l.t.Errorf("agent %s is sent %s out of order: %s", x.Key.ID, item, items)
		}
		if step > was.step || ordinal != 0 {
			last[from] = position{step, ordinal}
		}
	}
	for _, id := range x.Agent.Reserved {
		if !once[id] {
			l.t.Errorf("agent %s reserves %s, which is not in its request: %s", x.Key.ID, id, items)
		}
	}
}

// place says when its sender sent an entry: the step, and the call's ordinal from 1, or 0
// for a notice.
func place(item string) (from string, step, ordinal uint64, ok bool) {
	parts := strings.Split(item, "/")
	if len(parts) != 3 || parts[0] == "report" {
		return "", 0, 0, false
	}
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	}
	if parts[0] == "settled" {
		return parts[1], number(parts[2]), 0, true
	}
	return parts[0], number(parts[1]), number(parts[2]) + 1, true
}

func (l *ledger) saw(x *agents.Exchange) {
	l.note(l.seen, x, strings.Fields(x.Agent.History.Branch))
}

func (l *ledger) confirmed(x *agents.Exchange, ids []string) { l.note(l.done, x, ids) }

func (l *ledger) note(in map[string]map[string]bool, x *agents.Exchange, ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if in[x.Key.ID] == nil {
		in[x.Key.ID] = map[string]bool{}
	}
	for _, id := range ids {
		in[x.Key.ID][id] = true
	}
}

// settled compares the end with the model: every accepted message was read, and every
// activation of a child has its one notice, save those that went with their mail.
func (l *ledger) settled(ends map[string]agents.Snapshot) {
	for id, to := range l.mail {
		if !l.deleted[to] && !l.seen[to][id] {
			l.t.Errorf("message %s to %s was accepted and never read", id, to)
		}
	}
	for id, a := range ends {
		if a.Parent == "" || l.deleted[id] || l.deleted[a.Parent] {
			continue
		}
		var notices uint64
		for item := range l.seen[a.Parent] {
			if strings.HasPrefix(item, "settled/"+id+"/") {
				notices++
			}
		}
		if notices > a.Epoch && l.back[id] == 0 || notices+uint64(l.back[id]) < a.Epoch {
			l.t.Errorf("agent %s had %d activations, %d asked to be rolled back, and its parent %d notices", id, a.Epoch, l.back[id], notices)
		}
	}
}
