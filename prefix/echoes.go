package prefix

import (
	"hash/maphash"
	"sync"
)

// Echoes remembers which client forms mean what was sent, so that a history
// whose client writes every answer in its own way is compared by meaning once
// and by hash from then on. It holds 32 bytes an answer, no text. It may be
// used by several goroutines; a nil Echoes remembers nothing.
type Echoes struct {
	seeds [2]maphash.Seed
	limit int // of each generation

	mu       sync.Mutex
	young    map[echo]struct{} // pairs found the same, or met again, lately
	previous map[echo]struct{} // the generation before; forgotten when young is full
}

// echo names a pair of texts by 128 bits of each. The seeds are secret, so
// nobody can write a text that is taken for another one.
type echo struct{ sent, seen [2]uint64 }

// NewEchoes returns a memory of the last limit pairs at least, and twice that
// at most.
func NewEchoes(limit int) *Echoes {
	return &Echoes{
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		limit: max(limit, 1),
		young: make(map[echo]struct{}),
	}
}

// same is Same with memory.
func (m *Echoes) same(sent, seen []byte) bool {
	if m == nil {
		return Same(sent, seen)
	}
	e := echo{m.hash(sent), m.hash(seen)}
	if m.knows(e) {
		return true
	}
	if !Same(sent, seen) {
		return false // a difference ends the comparison of a history: not worth a place
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(e)
	return true
}

func (m *Echoes) hash(b []byte) [2]uint64 {
	return [2]uint64{maphash.Bytes(m.seeds[0], b), maphash.Bytes(m.seeds[1], b)}
}

func (m *Echoes) knows(e echo) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.young[e]; ok {
		return true
	}
	_, ok := m.previous[e]
	if ok {
		m.keep(e)
	}
	return ok
}

// keep must be called with the lock held.
func (m *Echoes) keep(e echo) {
	if len(m.young) >= m.limit {
		m.previous, m.young = m.young, make(map[echo]struct{})
	}
	m.young[e] = struct{}{}
}
