package agents

import "context"

// Scope is how far a listing reaches below an agent.
type Scope string

const (
	Children    Scope = "children"
	Descendants Scope = "descendants"
)

// Listed is one agent below another. Depth counts edges from the one that asked.
// Diagnostic is set, and nothing else but ID, when its record cannot be read.
type Listed struct {
	*Agent
	ID         string
	Depth      int
	Diagnostic string
}

// List returns the agents below one, in pre-order, siblings by creation and then id.
// Records that cannot be read come last, with a diagnostic and without their contents. The
// caller bounds what it shows.
func (s *Service) List(ctx context.Context, key Key, scope Scope) ([]Listed, error) {
	self, err := s.Load(ctx, key)
	if err != nil {
		return nil, err
	}
	t, err := s.tree(ctx, Key{key.Tenant, self.Root})
	if err != nil {
		return nil, err
	}
	var out []Listed
	for a, depth := range t.below(key.ID) {
		if !a.Ending && (depth == 1 || scope == Descendants) {
			out = append(out, Listed{Agent: a.Agent, ID: a.ID, Depth: depth})
		}
	}
	for _, k := range t.unreadable {
		out = append(out, unreadable(k))
	}
	return out, nil
}
