package metrics

import (
	"sync"
	"unicode/utf8"
)

// maxValues is how many models, and how many tenants, get series of their own, and maxValue
// the longest name in bytes that does. All others are counted together as "other".
const (
	maxValues = 100
	maxValue  = 128
)

// bounded bounds the values of an open label. A name gets a place when the provider has
// answered a request with it, so that nobody fills the places with names of their own
// invention. The zero value is ready.
type bounded struct {
	mu    sync.RWMutex
	names map[string]struct{}
}

// label returns the label value for a name.
func (b *bounded) label(name string) string {
	if name == "" {
		return none
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	if _, ok := b.names[name]; ok {
		return name
	}
	return other
}

// claim gives the name a place if one is left, and returns its label value. fresh: this
// call gave it.
func (b *bounded) claim(name string) (label string, fresh bool) {
	if label = b.label(name); label != other || len(name) > maxValue || !utf8.ValidString(name) {
		return label, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.names[name]; ok {
		return name, false
	}
	if len(b.names) >= maxValues {
		return other, false
	}
	if b.names == nil {
		b.names = map[string]struct{}{}
	}
	b.names[name] = struct{}{}
	return name, true
}
