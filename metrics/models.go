package metrics

import (
	"sync"
	"unicode/utf8"
)

// maxModels is how many models get series of their own, and maxModelName the longest
// name in bytes that does. All others are counted together as "other".
const (
	maxModels    = 100
	maxModelName = 128
)

// models bounds the label model. A name gets a place when the provider has answered a
// request with it, so that nobody fills the places with names of their own invention.
type models struct {
	mu    sync.RWMutex
	names map[string]struct{}
}

// label returns the label value for a model.
func (m *models) label(name string) string {
	if name == "" {
		return none
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if _, ok := m.names[name]; ok {
		return name
	}
	return other
}

// claim gives the model a place if one is left, and returns its label value. fresh: this
// call gave it.
func (m *models) claim(name string) (label string, fresh bool) {
	if label = m.label(name); label != other || len(name) > maxModelName || !utf8.ValidString(name) {
		return label, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.names[name]; ok {
		return name, false
	}
	if len(m.names) >= maxModels {
		return other, false
	}
	if m.names == nil {
		m.names = map[string]struct{}{}
	}
	m.names[name] = struct{}{}
	return name, true
}
