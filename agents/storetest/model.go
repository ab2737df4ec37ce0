package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"trunkline/agents"
)

// testModel draws random calls and compares each answer with Memory's. Both give
// versions of their own, so a drawn call names the n-th version that a key ever had.
func testModel(s store) {
	run := 0
	rapid.Check(s.t, func(t *rapid.T) {
		run++ // a tenant of its own makes each run start empty
		m := &model{T: t, real: s.Store, naive: Memory(), tenant: fmt.Sprint("run-", run), versions: map[agents.Key][]versions{}}
		t.Repeat(map[string]func(*rapid.T){
			"commit":  m.commit,
			"delete":  m.delete,
			"load":    m.load,
			"blobs":   m.blobs,
			"enroll":  m.enroll,
			"strike":  m.strike,
			"members": m.members,
			"roots":   m.roots,
		})
	})
}

// versions names one version of a record in both stores.
type versions struct{ real, naive uint64 }

type model struct {
	*rapid.T
	real, naive agents.Store
	tenant      string
	versions    map[agents.Key][]versions // key → every version that it had, oldest first
}

func (m *model) key() agents.Key {
	return agents.Key{Tenant: m.tenant, ID: rapid.SampledFrom([]string{"a", "b", "a:b"}).Draw(m.T, "id")}
}

func (m *model) blobIDs(name string) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"w", "x", "y", "z"}), 0, 3, rapid.ID[string]).Draw(m.T, name)
}

// version draws 0, or one that the key has or had: mostly its last.
func (m *model) version(key agents.Key) versions {
	had := m.versions[key]
	back := rapid.SampledFrom([]int{1, 1, 1, 1, 2, 3}).Draw(m.T, "versions back")
	if back > len(had) {
		return versions{}
	}
	return had[len(had)-back]
}

func (m *model) commit(*rapid.T) {
	key := m.key()
	base := m.version(key)
	if rapid.IntRange(0, 4).Draw(m.T, "as new") == 0 {
		base = versions{}
	}
	change := agents.Change{Data: rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(m.T, "data"), Drop: m.blobIDs("drop")}
	for _, id := range m.blobIDs("put") {
		// An id names its bytes, as a digest does: blobs never change.
		change.Put = append(change.Put, agents.Blob{ID: id, Data: []byte(strings.Repeat(id, 3))})
	}
	var next versions
	var errReal, errNaive error
	change.Version = base.real
	next.real, errReal = m.real.Commit(m.Context(), key, change)
	change.Version = base.naive
	next.naive, errNaive = m.naive.Commit(m.Context(), key, change)
	m.same("Commit", errReal, errNaive)
	if errReal == nil {
		m.versions[key] = append(m.versions[key], next)
	}
}

func (m *model) delete(*rapid.T) {
	key := m.key()
	version := m.version(key)
	m.same("Delete", m.real.Delete(m.Context(), key, version.real), m.naive.Delete(m.Context(), key, version.naive))
}

func (m *model) load(*rapid.T) {
	key := m.key()
	real, errReal := m.real.Load(m.Context(), key)
	naive, errNaive := m.naive.Load(m.Context(), key)
	m.same("Load", errReal, errNaive)
	if !bytes.Equal(real.Data, naive.Data) {
		m.Fatalf("Load(%v) = %q, want %q", key, real.Data, naive.Data)
	}
	if errReal == nil {
		had := m.versions[key]
		if last := had[len(had)-1]; real.Version != last.real {
			m.Fatalf("Load(%v) has version %d, want %d", key, real.Version, last.real)
		}
	}
}

func (m *model) blobs(*rapid.T) {
	var refs []agents.BlobRef
	for range rapid.IntRange(0, 4).Draw(m.T, "owners") {
		key := m.key()
		for _, id := range m.blobIDs("ids") {
			refs = append(refs, agents.BlobRef{Owner: key, ID: id})
		}
	}
	real, errReal := m.real.Blobs(m.Context(), refs)
	naive, errNaive := m.naive.Blobs(m.Context(), refs)
	m.same("Blobs", errReal, errNaive)
	if !slices.EqualFunc(real, naive, bytes.Equal) {
		m.Fatalf("Blobs(%v) = %q, want %q", refs, real, naive)
	}
}

func (m *model) enroll(*rapid.T) {
	root, id := m.key(), m.key().ID
	m.same("Enroll", m.real.Enroll(m.Context(), root, id), m.naive.Enroll(m.Context(), root, id))
}

// strike strikes a member as it is listed now, or as it was listed before it was enrolled
// once more.
func (m *model) strike(*rapid.T) {
	root, id := m.key(), m.key().ID
	late := rapid.Bool().Draw(m.T, "late")
	strikes := func(s agents.Store) error {
		member, err := listed(m.Context(), s, root, id)
		if err == nil && late {
			err = s.Enroll(m.Context(), root, id)
		}
		return errors.Join(err, s.Strike(m.Context(), root, member))
	}
	m.same("Strike", strikes(m.real), strikes(m.naive))
}

func (m *model) members(*rapid.T) {
	root := m.key()
	real, errReal := m.real.Members(m.Context(), root)
	naive, errNaive := m.naive.Members(m.Context(), root)
	m.same("Members", errReal, errNaive)
	if !slices.Equal(ids(real), ids(naive)) {
		m.Fatalf("Members(%v) = %v, want %v", root, real, naive)
	}
}

// roots compares sets, since each store has an order of its own.
func (m *model) roots(*rapid.T) {
	limit := rapid.IntRange(1, 5).Draw(m.T, "limit")
	if real, naive := m.rootsOf(m.real, limit), m.rootsOf(m.naive, limit); !slices.Equal(real, naive) {
		m.Fatalf("Roots = %q, want %q", real, naive)
	}
}

func (m *model) rootsOf(s agents.Store, limit int) (ids []string) {
	for cursor := ""; ; {
		page, next, err := s.RootsOf(m.Context(), m.tenant, cursor, limit)
		if err != nil {
			m.Fatalf("RootsOf: %v", err)
		}
		for _, key := range page {
			ids = append(ids, key.ID)
		}
		if next == "" {
			slices.Sort(ids)
			return ids
		}
		cursor = next
	}
}

func (m *model) same(call string, real, naive error) {
	m.Helper()
	for _, sentinel := range []error{agents.ErrConflict, agents.ErrNotFound} {
		if errors.Is(real, sentinel) && errors.Is(naive, sentinel) {
			return
		}
	}
	if real != nil || naive != nil {
		m.Fatalf("%s = %v, want %v", call, real, naive)
	}
}
