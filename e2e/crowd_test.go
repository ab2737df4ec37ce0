package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"trunkline/proxy/sim"
)

// A crowd is a tree of agents, each with a client of its own, that talk, fork and send
// each other messages at random, all at the same time, while a test does its worst to the
// proxies between them and the provider. A client whose answer breaks off sends the same
// request again, to any proxy.
//
// Every request is checked as it reaches the provider, and in the end, when all is quiet,
// what everybody has read:
//
//   - an agent's request begins with its previous one, byte for byte;
//   - a fork begins with its parent's head and items, cut at the end of a turn;
//   - no history is invalid (the provider refuses calls without results);
//   - a message was accepted, so its sender's model reads, exactly if it stands in its
//     target's prompt, once, after those that the same sender sent before;
//   - each turn of a child without children has brought its parent one notice, in order;
//   - nobody is running.
type crowd struct {
	t       *testing.T
	rng     *rand.Rand // of the test's goroutine
	url     string     // of the provider
	ctx     context.Context
	fail    context.CancelCauseFunc
	clients sync.WaitGroup
	asked   chan struct{} // told, when somebody listens, of each request at the provider

	// late: a proxy may be stopped between a decision and its effect, so a request that
	// another proxy has overtaken may still reach the provider.
	late bool
	// down: the store may be lost, so 503 is an answer to wait upon.
	down bool

	mu     sync.Mutex
	agents []*agent         // in the order of their creation
	live   []*door          // the proxies that clients may choose
	more   chan struct{}    // closed at their next change
	at     map[*agent]*door // whose client waits for an answer → where it asked last
	got    chan struct{}    // closed when the next client has its answer
	sent   int              // texts made up
	quiet  bool             // models call nothing, clients start no more turns
	lists  bool             // the root's model lists the agents
}

// agent is one agent: its client's side, and what the provider has seen of it.
type agent struct {
	name, parent string
	rng          *rand.Rand
	stream       bool
	messages     []string // what its client keeps
	closings     []string // the last answer of each turn

	// Guarded by crowd.mu.
	children  int
	last      received // what the provider got most recently
	inherited int      // items of last that are its parent's
	asked     int      // requests at the provider
	answers   int      // that its client has
}

// newCrowd returns a crowd of one root; its provider serves until the test ends.
func newCrowd(t *testing.T, seed uint64) *crowd {
	t.Helper()
	c := &crowd{t: t, rng: rand.New(rand.NewPCG(seed, 1)), asked: make(chan struct{}), more: make(chan struct{}), at: map[*agent]*door{}, got: make(chan struct{})}
	c.ctx, c.fail = context.WithCancelCause(t.Context())
	t.Cleanup(func() { c.clients.Wait() })
	c.url = serveModel(t, sim.Config{
		Script:       c.answer,
		Conversation: func(r sim.Request) string { return r.Header.Get("X-Story") },
		KeepRequests: 64,
	}).url
	c.add("", rand.New(rand.NewPCG(seed, 2)))
	return c
}

// errorf fails the test and ends the crowd: what follows a fault would only hide it.
func (c *crowd) errorf(format string, args ...any) {
	c.t.Helper()
	if c.ctx.Err() == nil {
		c.t.Errorf(format, args...)
	}
	c.fail(errors.New("the crowd has failed"))
}

// add makes an agent known. c.mu is held, or nobody else runs yet.
func (c *crowd) add(parent string, rng *rand.Rand) *agent {
	a := &agent{parent: parent, rng: rng, stream: rng.IntN(3) > 0, name: fmt.Sprintf("agent-%d", len(c.agents))}
	c.agents = append(c.agents, a)
	return a
}

// named returns an agent by its name. c.mu is held.
func (c *crowd) named(name string) *agent {
	for _, a := range c.agents {
		if a.name == name {
			return a
		}
	}
	return nil
}

// start has the root's client, and those of the forks to come, talk until settle.
func (c *crowd) start() { c.clients.Go(func() { c.run(c.agents[0]) }) }

// run is a client's life: turn after turn, with a fork now and then.
func (c *crowd) run(a *agent) {
	for c.ctx.Err() == nil {
		c.mu.Lock()
		quiet := c.quiet
		if !quiet && len(a.closings) > 0 && len(c.agents) < 6 && a.rng.IntN(3) == 0 {
			child := c.add(a.name, rand.New(rand.NewPCG(a.rng.Uint64(), 3)))
			a.children++
			c.clients.Go(func() { c.run(child) })
		}
		c.mu.Unlock()
		if quiet {
			return
		}
		c.turn(a)
	}
}

// settle ends the talk and checks what is left. In its last turns nobody says anything
// new, children before their parents, so that in the end nothing waits to be read.
func (c *crowd) settle() {
	c.t.Helper()
	for !c.grown() && c.ctx.Err() == nil {
		c.moment()
	}
	c.mu.Lock()
	c.quiet = true
	c.mu.Unlock()
	c.clients.Wait()
	for range 2 {
		for i := len(c.agents) - 1; i >= 0; i-- {
			c.turn(c.agents[i])
		}
	}
	c.mu.Lock()
	c.lists = true
	c.mu.Unlock()
	c.turn(c.agents[0])
	if c.ctx.Err() == nil {
		c.check()
	}
}

// grown reports whether enough has happened to be worth a look.
func (c *crowd) grown() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.agents) > 3 && c.sent > 20
}

// door is where one proxy serves.
type door struct {
	url  string
	ctx  context.Context // of the requests that go there
	shut context.CancelFunc
}

func (c *crowd) door(url string) *door {
	ctx, shut := context.WithCancel(c.ctx)
	return &door{url, ctx, shut}
}

// offer tells the clients which proxies there are; without any they wait.
func (c *crowd) offer(live ...*door) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live = live
	close(c.more)
	c.more = make(chan struct{})
}

// choose returns one of the proxies, waiting for one; nil when the crowd has failed.
func (c *crowd) choose(a *agent) *door {
	for {
		c.mu.Lock()
		more := c.more
		if n := len(c.live); n > 0 {
			defer c.mu.Unlock()
			c.at[a] = c.live[a.rng.IntN(n)]
			return c.at[a]
		}
		c.mu.Unlock()
		select {
		case <-more:
		case <-c.ctx.Done():
			return nil
		}
	}
}

// answered notes that a client has the answer that it asked for.
func (c *crowd) answered(a *agent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.at, a)
	a.answers++
	close(c.got)
	c.got = make(chan struct{})
}

// leave has the clients that wait at d, which is not offered any more, lose their patience,
// and returns when each of them has its answer from somebody else.
func (c *crowd) leave(d *door) {
	c.mu.Lock()
	waiting := map[*agent]int{} // who waits → answers so far
	for a, at := range c.at {
		if at == d {
			waiting[a] = a.answers
		}
	}
	c.mu.Unlock()
	d.shut()
	bound := time.NewTimer(patience)
	defer bound.Stop()
	for {
		c.mu.Lock()
		got := c.got
		maps.DeleteFunc(waiting, func(a *agent, before int) bool { return a.answers > before })
		c.mu.Unlock()
		if len(waiting) == 0 {
			return
		}
		select {
		case <-got:
		case <-c.ctx.Done():
			return
		case <-bound.C:
			c.errorf("after %s, %d clients that left a proxy have no answer from the other", patience, len(waiting))
		}
	}
}
