package metrics

import (
	"context"
	"errors"
	"sync"
	"time"

	"trunkline/agents"
)

const (
	censusEvery = 2 * time.Second // between two passes
	censusRest  = time.Minute     // between the starts of two rounds
	censusLoads = 1000            // records that one pass reads, for each of its two reasons
	censusMax   = 100_000         // agents that are kept in memory; more are not counted
)

// census counts what stands in the store. It reads an agent again when the store hints
// that it changed, and goes round all of them now and then, since hints get lost. Each
// pass reads a bounded number of records, so a big store is only counted more slowly.
type census struct {
	service *agents.Service

	mu     sync.Mutex
	hinted map[agents.Key]struct{} // to be read again

	// The rest belongs to the one goroutine of Run.
	known map[agents.Key]standing
	round round
}

// standing is what a count needs of an agent.
type standing struct {
	status agents.Status
	inbox  int
	lease  int64  // Unix milliseconds until which it is held; 0: none
	round  uint64 // in which it was last read
}

// round is one walk over the whole directory.
type round struct {
	number uint64
	began  time.Time
	cursor string
	todo   []agents.Key
	last   bool // cursor is past the last root
}

// Run keeps the counts of agents, leases and inboxes up to date until ctx ends. Only one
// Run may be running.
func (m *Metrics) Run(ctx context.Context, service *agents.Service) {
	c := &census{service: service, hinted: map[agents.Key]struct{}{}, known: map[agents.Key]standing{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		service.Store.Watch(ctx, c.hint) // its error is ctx's
	}()
	defer func() { <-ended }()
	tick := time.NewTicker(censusEvery)
	defer tick.Stop()
	for {
		if err := c.pass(ctx); err != nil && ctx.Err() == nil {
			service.Log.Debug("the agents could not be counted; it is tried again", "err", err)
		}
		m.publish(c.known)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// hint is called by the store. The zero key, after which the hints before are worth
// nothing, is left to the next round.
func (c *census) hint(key agents.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key != (agents.Key{}) && len(c.hinted) < censusMax {
		c.hinted[key] = struct{}{}
	}
}

func (c *census) take(most int) []agents.Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := make([]agents.Key, 0, min(most, len(c.hinted)))
	for key := range c.hinted {
		if len(keys) == most {
			break
		}
		delete(c.hinted, key)
		keys = append(keys, key)
	}
	return keys
}

// pass reads what has changed, then the next part of the round. An agent of the round
// that could not be read has its turn in the next one.
func (c *census) pass(ctx context.Context) error {
	keys := c.take(censusLoads)
	for i, key := range keys {
		if err := c.read(ctx, key); err != nil {
			for _, left := range keys[i:] {
				c.hint(left)
			}
			return err
		}
	}
	return c.walk(ctx)
}

func (c *census) walk(ctx context.Context) error {
	r := &c.round
	if r.last && len(r.todo) == 0 {
		if time.Since(r.began) < censusRest {
			return nil
		}
		*r = round{number: r.number}
	}
	if r.began.IsZero() {
		r.began = time.Now()
		r.number++
	}
	for range censusLoads {
		if err := c.fill(ctx); err != nil {
			return err
		}
		if len(r.todo) == 0 {
			c.missed()
			return nil
		}
		key := r.todo[0]
		r.todo = r.todo[1:]
		if err := c.read(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// fill lists the agents of the next trees, until there is one to read or no tree is left.
func (c *census) fill(ctx context.Context) error {
	r := &c.round
	for len(r.todo) == 0 && !r.last {
		roots, next, err := c.service.Store.Roots(ctx, r.cursor, 16)
		if err != nil {
			return err
		}
		var todo []agents.Key
		for _, root := range roots {
			members, err := c.service.Store.Members(ctx, root)
			if err != nil {
				return err
			}
			for _, member := range members {
				todo = append(todo, agents.Key{Tenant: root.Tenant, ID: member.ID})
			}
		}
		r.todo, r.cursor, r.last = todo, next, next == ""
	}
	return nil
}

// missed ends a round: what it did not meet was deleted, or is new, or could not be read.
func (c *census) missed() {
	for key, s := range c.known {
		if s.round != c.round.number {
			c.hint(key)
		}
	}
}

// read brings one agent up to date.
func (c *census) read(ctx context.Context, key agents.Key) error {
	snap, err := c.service.Load(ctx, key)
	switch {
	case errors.Is(err, agents.ErrNotFound), errors.Is(err, agents.ErrUnreadable):
		delete(c.known, key)
		return nil
	case err != nil:
		return err
	}
	if _, ok := c.known[key]; !ok && len(c.known) >= censusMax {
		return nil
	}
	s := standing{status: snap.Status, inbox: len(snap.Inbox), round: c.round.number}
	if snap.Lease != nil {
		s.lease = snap.Lease.Until
	}
	c.known[key] = s
	return nil
}

// publish sets the gauges.
func (m *Metrics) publish(known map[agents.Key]standing) {
	status := map[agents.Status]int{agents.Running: 0, agents.Idle: 0, agents.Ready: 0} // status → agents
	var inbox, live, dead int
	now := time.Now().UnixMilli()
	for _, s := range known {
		status[s.status]++
		inbox += s.inbox
		switch {
		case s.lease == 0:
		case s.lease >= now:
			live++
		default:
			dead++
		}
	}
	for name, n := range status {
		m.agents.WithLabelValues(string(name)).Set(float64(n))
	}
	m.leases.WithLabelValues(held).Set(float64(live))
	m.leases.WithLabelValues(lapsed).Set(float64(dead))
	m.inbox.Set(float64(inbox))
}
