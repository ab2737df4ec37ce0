package proxy

import (
	"sync"
	"time"
)

// heartbeat keeps a response alive that is held open for a continuation: a comment at
// the event boundary where the stream stands, every so often. The writer belongs to it
// until stop returns; stop may be called again. It does nothing before the headers are
// out, since nobody has been promised an answer yet.
func (e *exchange) heartbeat() (stop func()) {
	if !e.out.started || !e.out.stream || e.out.open {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(e.Heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				// An event's end, not a blank line: some clients take a comment and
				// a blank line for an empty event. Errors show at the next write.
				if e.out.write([]byte(": trunkline\n")) == nil {
					_ = e.out.flush()
				}
			}
		}
	}()
	return sync.OnceFunc(func() { close(quit); <-done })
}
