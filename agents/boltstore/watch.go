package boltstore

import (
	"context"
	"sync"

	"trunkline/agents"
)

// watchers are the running Watch calls. No other process can change the file, so a hint
// never leaves this one.
type watchers struct {
	mu    sync.Mutex
	hints map[*func(agents.Key)]struct{}
}

// Watch calls hint until ctx ends, first with the zero Key, and returns ctx.Err().
func (w *watchers) Watch(ctx context.Context, hint func(agents.Key)) error {
	w.mu.Lock()
	if w.hints == nil {
		w.hints = map[*func(agents.Key)]struct{}{}
	}
	w.hints[&hint] = struct{}{}
	hint(agents.Key{})
	w.mu.Unlock()

	<-ctx.Done()

	w.mu.Lock()
	delete(w.hints, &hint)
	w.mu.Unlock()
	return ctx.Err()
}

// hint runs under the lock, so that no hint comes after its Watch returned.
func (w *watchers) hint(key agents.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for hint := range w.hints {
		(*hint)(key)
	}
}
