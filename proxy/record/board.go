package record

import (
	"context"
	"sync"
)

// board is state that several goroutines change and wait on.
type board struct {
	mu      sync.Mutex
	changed chan struct{} // closed at the next change
}

// update changes what the board guards, and wakes who waits.
func (b *board) update(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// wait returns once the condition holds, or with the cause of ctx's end.
func (b *board) wait(ctx context.Context, holds func() bool) error {
	for {
		b.mu.Lock()
		if holds() {
			b.mu.Unlock()
			return nil
		}
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
