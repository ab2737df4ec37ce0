package agents

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

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
// Records that cannot be read come last, with a diagnostic and without their contents.
func (s *Service) List(ctx context.Context, key Key, scope Scope) ([]Listed, error) {
	self, err := s.Load(ctx, key)
	if err != nil {
		return nil, err
	}
	ids, err := s.Store.Members(ctx, Key{key.Tenant, self.Root})
	if err != nil {
		return nil, err
	}
	under := map[string][]*Agent{} // parent id → children
	var broken []Listed
	for _, id := range ids {
		a, err := s.Load(ctx, Key{key.Tenant, id})
		switch {
		case err == nil:
			under[a.Parent] = append(under[a.Parent], a.Agent)
		case errors.Is(err, ErrNotFound): // enrolled only
		case errors.Is(err, ErrUnreadable):
			broken = append(broken, Listed{ID: id, Diagnostic: "its record cannot be read"})
		default:
			return nil, err
		}
	}
	var out []Listed
	var walk func(id string, depth int)
	walk = func(id string, depth int) {
		children := under[id]
		slices.SortFunc(children, func(a, b *Agent) int {
			return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		})
		for _, a := range children {
			out = append(out, Listed{Agent: a, ID: a.ID, Depth: depth})
			if scope == Descendants {
				walk(a.ID, depth+1)
			}
		}
	}
	walk(key.ID, 1)
	return append(out, broken...), nil
}
