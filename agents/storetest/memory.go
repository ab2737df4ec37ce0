package storetest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"trunkline/agents"
)

// Memory is the naive store: maps under one lock, right by inspection. The engines are
// compared with it, and the tests of the layers above may run on it.
func Memory() agents.Store {
	return &memory{
		records:  map[agents.Key]agents.Stored{},
		blobs:    map[agents.BlobRef][]byte{},
		trees:    map[agents.Key]map[string]uint64{},
		roots:    map[string]agents.Key{},
		watchers: map[*func(agents.Key)]bool{},
	}
}

type memory struct {
	mu       sync.Mutex
	last     uint64                           // the last version given to any record
	marks    uint64                           // the last mark given to any member
	records  map[agents.Key]agents.Stored     // key → record
	blobs    map[agents.BlobRef][]byte        // owner and id → blob
	trees    map[agents.Key]map[string]uint64 // root → member id → mark
	roots    map[string]agents.Key            // cursor → root
	watchers map[*func(agents.Key)]bool       // the hint functions of running Watches
}

func (m *memory) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	stored, ok := m.records[key]
	if !ok {
		return agents.Stored{}, agents.ErrNotFound
	}
	stored.Data = bytes.Clone(stored.Data)
	return stored, ctx.Err()
}

func (m *memory) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if m.records[key].Version != change.Version {
		return 0, agents.ErrConflict
	}
	m.last++
	m.records[key] = agents.Stored{Data: bytes.Clone(change.Data), Version: m.last}
	for _, id := range change.Drop {
		delete(m.blobs, agents.BlobRef{Owner: key, ID: id})
	}
	for _, blob := range change.Put {
		ref := agents.BlobRef{Owner: key, ID: blob.ID}
		if _, ok := m.blobs[ref]; !ok {
			m.blobs[ref] = append([]byte{}, blob.Data...)
		}
	}
	m.hint(key)
	return m.last, nil
}

func (m *memory) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	blobs := make([][]byte, len(refs))
	for i, ref := range refs {
		blobs[i] = bytes.Clone(m.blobs[ref])
	}
	return blobs, ctx.Err()
}

func (m *memory) Owned(ctx context.Context, key agents.Key, prefix string) (ids []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ref := range m.blobs {
		if ref.Owner == key && strings.HasPrefix(ref.ID, prefix) {
			ids = append(ids, ref.ID)
		}
	}
	return ids, ctx.Err()
}

func (m *memory) Delete(ctx context.Context, key agents.Key, version uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	stored, ok := m.records[key]
	if !ok {
		return nil
	}
	if stored.Version != version {
		return agents.ErrConflict
	}
	delete(m.records, key)
	maps.DeleteFunc(m.blobs, func(ref agents.BlobRef, _ []byte) bool { return ref.Owner == key })
	m.hint(key)
	return nil
}

func (m *memory) Enroll(ctx context.Context, root agents.Key, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.trees[root] == nil {
		m.trees[root] = map[string]uint64{}
	}
	m.marks++
	m.trees[root][id] = m.marks
	if id == root.ID {
		m.roots[cursor(root)] = root
	}
	return ctx.Err()
}

func (m *memory) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.trees[root][member.ID] != member.Mark {
		return ctx.Err()
	}
	delete(m.trees[root], member.ID)
	if member.ID == root.ID {
		delete(m.roots, cursor(root))
	}
	return ctx.Err()
}

func (m *memory) Members(ctx context.Context, root agents.Key) (members []agents.Member, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(m.trees[root])) {
		members = append(members, agents.Member{ID: id, Mark: m.trees[root][id]})
	}
	return members, ctx.Err()
}

func (m *memory) Roots(ctx context.Context, from string, limit int) ([]agents.Key, string, error) {
	return m.page(ctx, func(agents.Key) bool { return true }, from, limit)
}

func (m *memory) RootsOf(ctx context.Context, tenant, from string, limit int) ([]agents.Key, string, error) {
	return m.page(ctx, func(root agents.Key) bool { return root.Tenant == tenant }, from, limit)
}

func (m *memory) page(ctx context.Context, asked func(root agents.Key) bool, from string, limit int) (roots []agents.Key, next string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var rest []string
	for c, root := range m.roots {
		if asked(root) {
			rest = append(rest, c)
		}
	}
	slices.Sort(rest)
	limit = max(limit, 1)
	i, listed := slices.BinarySearch(rest, from)
	if listed {
		i++
	}
	rest = rest[i:]
	if len(rest) > limit {
		rest = rest[:limit]
		next = rest[limit-1]
	}
	for _, c := range rest {
		roots = append(roots, m.roots[c])
	}
	return roots, next, ctx.Err()
}

func cursor(root agents.Key) string { return fmt.Sprintf("%q %q", root.Tenant, root.ID) }

func (m *memory) Watch(ctx context.Context, hint func(agents.Key)) error {
	m.mu.Lock()
	m.watchers[&hint] = true
	hint(agents.Key{})
	m.mu.Unlock()
	<-ctx.Done()
	m.mu.Lock()
	delete(m.watchers, &hint)
	m.mu.Unlock()
	return ctx.Err()
}

// hint runs under the lock, so that none comes after its Watch returned.
func (m *memory) hint(key agents.Key) {
	for hint := range m.watchers {
		(*hint)(key)
	}
}

func (m *memory) Exclusive() bool                 { return true }
func (m *memory) Check(ctx context.Context) error { return ctx.Err() }
func (m *memory) Close() error                    { return nil }
