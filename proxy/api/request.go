package api

import (
	"time"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
)

// Request is a provider request that was measured.
type Request struct {
	Tenant   string // whose the request is
	Agent    string // id of an identified agent
	Provider string
	Model    string
	Relation string // of the prompt to what went before
	// Auxiliary: the request stands beside the agent's branch, it is no step of its prompt.
	Auxiliary bool
	Fork      string // what became of a fork child's head at its first request; "" otherwise
	Status    int    // of the provider's answer; 0: none came
	Taken     bool   // the answer is no refusal: it is 2xx, and began with no error
	// Completed: the answer was read to its end, and was no error.
	Completed bool
	Sent      time.Time
	TTFT      time.Duration // to the first content of the answer; 0: none came
	Took      time.Duration
	Bytes     int64 // of the head and the items
	Shared    int64 // how many of them were sent before
	Break     reuse.Break
	Usage     prefix.Usage
	Reuse     reuse.Account // meaningful when Completed
	// Lost is how many tokens a better request, or a provider that kept them, would have read.
	Lost    int64
	Repairs map[string]int // kind → items
}

// key is of the agent that it was a request of; ID "" for none.
func (a *Request) key() agents.Key { return agents.Key{Tenant: a.Tenant, ID: a.Agent} }
