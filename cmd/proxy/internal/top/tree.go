package top

import (
	"cmp"
	"slices"

	"trunkline/agents"
	"trunkline/proxy/api"
)

type branch struct {
	api.StatusAgent
	depth int
}

// tree orders agents in pre-order, siblings by id. One whose parent is not shown is shown
// as a root, and a circle, which no proxy makes, ends.
func tree(all []api.StatusAgent) []branch {
	shown := map[agents.Key]bool{}
	for _, a := range all {
		shown[agents.Key{Tenant: a.Tenant, ID: a.ID}] = true
	}
	under := map[agents.Key][]api.StatusAgent{}
	for _, a := range all {
		parent := agents.Key{Tenant: a.Tenant, ID: a.Parent}
		if !shown[parent] {
			parent = agents.Key{}
		}
		under[parent] = append(under[parent], a)
	}
	var out []branch
	var walk func(parent agents.Key, depth int)
	walk = func(parent agents.Key, depth int) {
		children := under[parent]
		slices.SortFunc(children, func(a, b api.StatusAgent) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Tenant, b.Tenant))
		})
		delete(under, parent)
		for _, a := range children {
			out = append(out, branch{a, depth})
			walk(agents.Key{Tenant: a.Tenant, ID: a.ID}, depth+1)
		}
	}
	walk(agents.Key{}, 0)
	return out
}
