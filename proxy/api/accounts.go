package api

import (
	"sync"

	"trunkline/agents"
)

// maxAccounts is how many accounts a generation holds.
const maxAccounts = 4096

// accounts keeps the last account of each agent, of the latest maxAccounts agents at
// least. The zero value is ready.
type accounts struct {
	mu sync.Mutex
	// A full generation becomes the older one, and what that held is forgotten.
	young, old map[agents.Key]*Request // agent → its last request
}

// keep remembers an agent's request. Those beside its branch are no step of its prompt.
func (c *accounts) keep(a *Request) {
	if a.Auxiliary {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young) >= maxAccounts {
		c.young, c.old = map[agents.Key]*Request{}, c.young
	}
	c.young[a.key()] = a
}

// of returns the agent's account; nil when there is none, or only one of an earlier agent
// with its id.
func (c *accounts) of(key agents.Key, a *agents.Agent) *Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.young[key]
	if last == nil {
		last = c.old[key]
	}
	if last == nil || last.Sent.UnixMilli() < a.Created {
		return nil
	}
	return last
}
