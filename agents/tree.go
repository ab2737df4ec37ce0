package agents

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
)

// tree is all agents of one root, as they were read one by one.
type tree struct {
	root       Key
	names      map[string]Member     // id → as it was listed, before its record was read
	members    []Snapshot            // by id
	under      map[string][]Snapshot // parent id → children by creation, then id
	orphans    []Snapshot            // their parents are not in the tree, or other agents by now
	unreadable []Key                 // their parents are not known
	vacant     []Member              // names without a record in this tree
}

// tree reads a root's tree, agents that are being deleted included.
func (s *Service) tree(ctx context.Context, root Key) (tree, error) {
	t := tree{root: root, names: map[string]Member{}, under: map[string][]Snapshot{}}
	names, err := s.Store.Members(ctx, root)
	if err != nil {
		return t, err
	}
	members := map[string]Snapshot{} // id → agent
	for _, name := range names {
		t.names[name.ID] = name
		key := Key{root.Tenant, name.ID}
		a, err := s.load(ctx, key)
		switch {
		case errors.Is(err, ErrNotFound):
			t.vacant = append(t.vacant, name)
		case errors.Is(err, ErrUnreadable):
			t.unreadable = append(t.unreadable, key)
		case err != nil:
			return t, err
		case a.Root != root.ID: // registered elsewhere by now
			t.vacant = append(t.vacant, name)
		default:
			t.members = append(t.members, a)
			members[a.ID] = a
		}
	}
	for _, a := range t.members {
		if parent, there := members[a.Parent]; a.Parent != "" && !(there && a.isUnder(parent)) {
			t.orphans = append(t.orphans, a)
			continue
		}
		t.under[a.Parent] = append(t.under[a.Parent], a)
	}
	for _, children := range t.under {
		slices.SortFunc(children, func(a, b Snapshot) int {
			return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		})
	}
	return t, nil
}

// below iterates over the descendants of id in pre-order, each with its distance.
func (t tree) below(id string) iter.Seq2[Snapshot, int] {
	return func(yield func(Snapshot, int) bool) { t.walk(id, 1, yield) }
}

func (t tree) walk(id string, depth int, yield func(Snapshot, int) bool) bool {
	for _, a := range t.under[id] {
		if !yield(a, depth) || !t.walk(a.ID, depth+1, yield) {
			return false
		}
	}
	return true
}
