package agents

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
)

// Query asks for a part of a tenant's agents: those below Parent, or Root and those below
// it, or all.
type Query struct {
	Tenant string
	Root   string
	Parent string // with Root as well: only if it is in that tree
	// Scope is how far the answer reaches below: Descendants, or only Children. Children
	// of nothing are the roots.
	Scope  Scope
	Limit  int    // at least 1
	Cursor string // where the page before ended; "" is the start
}

// ErrBadCursor says that a cursor is none that Page has given.
var ErrBadCursor = errors.New("not a cursor of this listing")

// place is where an agent stands in pre-order: the path to it from its root. Comparing
// places as lists is comparing in pre-order. What is registered or removed meanwhile does
// not move the others, so a place is a cursor.
type place []step

type step struct {
	created int64
	id      string
}

func (p place) compare(o place) int {
	return slices.CompareFunc(p, o, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
}

// MarshalJSON and UnmarshalJSON are the form of a step in a cursor: [created, id].
func (s step) MarshalJSON() ([]byte, error) { return json.Marshal([]any{s.created, s.id}) }

func (s *step) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&s.created, &s.id})
}

func (p place) cursor() string {
	data, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers and strings always marshal
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func parseCursor(cursor string) (p place, err error) {
	if cursor == "" {
		return nil, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil || len(p) == 0 || slices.ContainsFunc(p, func(s step) bool { return s.id == "" }) {
		return nil, ErrBadCursor
	}
	return p, nil
}

// Page returns agents in pre-order, siblings by creation and then id, and the cursor of
// the next page ("" at the end). An agent that stays is on exactly one page, whatever is
// registered or removed between two of them. Records that cannot be read are behind the
// others of their tree. ErrNotFound when Root or Parent is none; ErrBadCursor.
func (s *Service) Page(ctx context.Context, q Query) (page []Listed, next string, err error) {
	after, err := parseCursor(q.Cursor)
	if err != nil {
		return nil, "", err
	}
	b := &pager{after: after, limit: max(q.Limit, 1)}
	switch {
	case q.Parent != "":
		err = s.pageBelow(ctx, q, b)
	case q.Root != "":
		err = s.pageTrees(ctx, q, b, []Key{{q.Tenant, q.Root}})
	default:
		var roots []Key
		if roots, err = s.roots(ctx, q.Tenant); err == nil {
			err = s.pageTrees(ctx, q, b, roots)
		}
	}
	if err != nil {
		return nil, "", err
	}
	return b.page, b.next, nil
}

// pager collects what stands behind a place, and one more to know whether that was all.
type pager struct {
	after place
	limit int
	page  []Listed
	last  place // of page
	next  string
}

// add takes an agent at its place; false when the page is full.
func (b *pager) add(at place, a Listed) bool {
	if at.compare(b.after) <= 0 {
		return true
	}
	if len(b.page) == b.limit {
		b.next = b.last.cursor()
		return false
	}
	b.page, b.last = append(b.page, a), slices.Clone(at)
	return true
}

// passed reports whether the page begins behind everything under a root at this place.
func (b *pager) passed(root place) bool {
	return len(b.after) > 0 && root.compare(b.after[:1]) < 0
}

func (s *Service) pageBelow(ctx context.Context, q Query, b *pager) error {
	parent, err := s.Load(ctx, Key{q.Tenant, q.Parent})
	if err != nil {
		return err
	}
	if q.Root != "" && parent.Root != q.Root {
		return ErrNotFound
	}
	t, err := s.tree(ctx, Key{q.Tenant, parent.Root})
	if err != nil {
		return err
	}
	b.below(t, nil, parent.ID, 1, q.Scope)
	return nil
}

// roots returns all roots of a tenant.
func (s *Service) roots(ctx context.Context, tenant string) (all []Key, err error) {
	for cursor := ""; ; {
		roots, next, err := s.Store.RootsOf(ctx, tenant, cursor, 1024)
		if err != nil {
			return nil, err
		}
		if all = append(all, roots...); next == "" {
			return all, nil
		}
		cursor = next
	}
}

// pageTrees pages through trees by the creation of their roots. Of one root alone
// ErrNotFound is an answer; of several, those that have gone meanwhile are left out.
func (s *Service) pageTrees(ctx context.Context, q Query, b *pager, keys []Key) error {
	type tip struct {
		at   place
		root Listed
	}
	var tips []tip
	for _, key := range keys {
		a, err := s.Load(ctx, key)
		switch {
		case err == nil && a.Parent == "":
			tips = append(tips, tip{place{{a.Created, a.ID}}, Listed{Agent: a.Agent, ID: a.ID}})
		case errors.Is(err, ErrUnreadable):
			tips = append(tips, tip{place{{math.MaxInt64, key.ID}}, unreadable(key)})
		case err != nil && (q.Root != "" || !errors.Is(err, ErrNotFound)):
			return err
		case q.Root != "":
			return ErrNotFound // not a root
		}
	}
	slices.SortFunc(tips, func(x, y tip) int { return x.at.compare(y.at) })
	for _, r := range tips {
		if b.passed(r.at) {
			continue
		}
		if !b.add(r.at, r.root) {
			return nil
		}
		if q.Scope == Children && q.Root == "" {
			continue
		}
		t, err := s.tree(ctx, Key{q.Tenant, r.root.ID})
		if err != nil {
			return err
		}
		if !b.below(t, r.at, r.root.ID, 1, q.Scope) {
			return nil
		}
	}
	return nil
}

// below adds what is below id, which stands at a place; false when the page is full.
func (b *pager) below(t tree, at place, id string, depth int, scope Scope) bool {
	for _, a := range t.under[id] {
		here := append(at, step{a.Created, a.ID})
		if !a.Ending && !b.add(here, Listed{Agent: a.Agent, ID: a.ID, Depth: depth}) {
			return false
		}
		if scope == Descendants && !b.below(t, here, a.ID, depth+1, scope) {
			return false
		}
	}
	if depth > 1 {
		return true
	}
	for _, key := range t.unreadable {
		if key.ID != id && !b.add(append(at, step{math.MaxInt64, key.ID}), unreadable(key)) {
			return false
		}
	}
	return true
}

// unreadable is what a list says of a record that cannot be read.
func unreadable(key Key) Listed {
	return Listed{ID: key.ID, Diagnostic: "its record cannot be read"}
}
