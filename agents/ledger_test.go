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
	mail map[string]letter          // message id → of accepted sends, where it went
	seen map[string]map[string]bool // agent → entries in requests that the provider took
	done map[string]map[string]bool // agent → entries whose acceptance is on record
	back map[string]int             // child → rollbacks that were asked for
	// An agent that is deleted and registered again has another life under its id: a message
	// to the first is new to the second.
	gone   map[string]int // agent → deletions that have begun
	going  map[string]int // agent → deletions that are under way
	stands map[string]int // agent → gone when a provider had accepted a request of it
}

// letter is where a message went: to whom, and into which of its lives; 0: that is not sure.
type letter struct {
	to   string
	life int
	by   uint64 // the sender's activation
}

func newLedger(t *testing.T) *ledger {
	return &ledger{
		t: t, mail: map[string]letter{}, seen: map[string]map[string]bool{}, done: map[string]map[string]bool{}, back: map[string]int{},
		gone: map[string]int{}, going: map[string]int{}, stands: map[string]int{},
	}
}

func (l *ledger) deleting(ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.gone[id]++
		l.going[id]++
	}
}

func (l *ledger) deleted(ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.going[id]--
	}
}

// lifeOf names the life that an agent has from now on, if nobody deletes it; 0 while
// somebody does.
func (l *ledger) lifeOf(id string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.going[id] > 0 {
		return 0
	}
	return 1 + l.gone[id]
}

// stood: a provider has accepted a request of the agent in that life.
func (l *ledger) stood(id string, life int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stands[id] = life
}

func (l *ledger) accepted(r agents.Receipt, by uint64, life int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mail[r.MessageID] = letter{r.Target, life, by}
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
		if l.done[x.Key.ID][id] && l.gone[x.Key.ID] == 0 {
			l.t.Errorf("agent %s is given %s again", x.Key.ID, id)
		}
	}
}

// sent holds a provider request against the rules: each entry once, each neighbour's
// messages and notices in the order of its steps, and none of an activation behind its notice.
// (What a step has recorded a later activation may execute: behind the notice.)
func (l *ledger) sent(x *agents.Exchange) {
	items := strings.Fields(x.Agent.History.Branch)
	type position struct{ step, ordinal uint64 }
	last := map[string]position{} // neighbour → of the last that it sent
	over := map[string]uint64{}   // neighbour → step of its last notice
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
		late := step < was.step || step == was.step && ordinal != 0 && ordinal <= was.ordinal
		if ordinal == 0 {
			late = late || step <= over[from]
			over[from] = step
		} else {
			by := l.sender(item)
			late = late || by != 0 && by <= over[from]
			last[from] = position{step, ordinal}
		}
		if late {
			l.t.Errorf("agent %s is sent %s out of order: %s", x.Key.ID, item, items)
		}
	}
	for _, id := range x.Agent.Reserved {
		if !once[id] {
			l.t.Errorf("agent %s reserves %s, which is not in its request: %s", x.Key.ID, id, items)
		}
	}
}

// sender is the activation that sent a message; 0 while it has not heard that it did.
func (l *ledger) sender(message string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mail[message].by
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

// settled compares the end with the model: who was not deleted is there, every message that
// it accepted was read, and every activation of a child has its one notice.
func (l *ledger) settled(ends map[string]agents.Snapshot) {
	for id, life := range l.stands {
		if _, there := ends[id]; !there && life == 1+l.gone[id] {
			l.t.Errorf("agent %s is gone, and nobody deleted it", id)
		}
	}
	for id, at := range l.mail {
		if at.life == 1+l.gone[at.to] && !l.seen[at.to][id] {
			l.t.Errorf("message %s to %s was accepted and never read", id, at.to)
		}
	}
	for id, a := range ends {
		if a.Parent == "" {
			continue
		}
		var notices uint64
		for item := range l.seen[a.Parent] {
			if from, step, ordinal, ok := place(item); ok && from == id && ordinal == 0 && step >= a.Born {
				notices++
			}
		}
		if notices > a.Epoch || notices+uint64(l.back[id]) < a.Epoch {
			l.t.Errorf("agent %s had %d activations, %d asked to be rolled back, and its parent %d notices", id, a.Epoch, l.back[id], notices)
		}
	}
}
