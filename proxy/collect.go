package proxy

import (
	"context"
	"slices"
	"strings"

	"trunkline/agents"
)

// Histories reads from the store what its agents' histories still refer to.
func Histories(store agents.Store) agents.Histories { return newBranches(store) }

// Unreferenced implements agents.Histories: of an agent's segments and heads, those that
// neither its own history nor that of a descendant which forked from it leads to.
func (b *branches) Unreferenced(ctx context.Context, agent agents.Snapshot, members []agents.Snapshot) ([]string, error) {
	used := map[string]bool{}
	for _, m := range members {
		h := m.History
		if m.ID != agent.ID && !slices.Contains(h.Owners, agent.ID) && h.ForkOwner != agent.ID {
			continue
		}
		used[h.Head], used[h.ForkHead] = true, true
		branch, err := b.load(ctx, m.Key, h.Owners, h.Branch)
		if err != nil {
			return nil, err
		}
		for node := range branch.Nodes() {
			used[segmentBlob(node)] = true
		}
	}
	var free []string
	for _, kind := range []string{segmentBlob(""), headBlob("")} {
		ids, err := b.store.Owned(ctx, agent.Key, kind)
		if err != nil {
			return nil, err
		}
		free = append(free, slices.DeleteFunc(ids, func(id string) bool { return used[id] || !strings.HasPrefix(id, kind) })...)
	}
	return free, nil
}
