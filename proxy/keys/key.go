package keys

import "slices"

// Scope is what a key allows.
type Scope string

const (
	Model  Scope = "model"  // requests to the provider, in the name of agents too
	Agents Scope = "agents" // reading and steering agents
	Admin  Scope = "admin"  // everything
)

// Key is what a presented key stands for.
type Key struct {
	// Tenant is whose agents and prefixes it reaches.
	Tenant string
	// UpstreamKey is what the provider gets in its place; empty: the proxy's own.
	UpstreamKey string

	scopes []Scope
}

// May reports whether the key allows what the scope stands for.
func (k Key) May(s Scope) bool {
	return slices.Contains(k.scopes, s) || slices.Contains(k.scopes, Admin)
}
