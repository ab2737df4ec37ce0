package proxy

import (
	"sync"
	"time"
)

// heartbeat keeps a response alive that is held open for a continuation: a comment at
// the event boundary where the stream stands, every so often. The writer belongs to it
// until stop returns; stop may be called again. It does nothing at the first step: there
// the client waits for the provider.
func (e *exchange) heartbeat() (stop func()) {
	if e.steps < 2 || !e.out.stream || e.out.open {
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
				_ = e.out.beat() // an error shows at the next write
			}
		}
	}()
	return sync.OnceFunc(func() { close(quit); <-done })
}

// beatWhenDue does the same while events come that are not for the client, such as a call
// of the proxy's tools that is long in coming.
func (e *exchange) beatWhenDue() error {
	if !e.out.stream || e.out.open || time.Since(e.out.last) < e.Heartbeat {
		return nil
	}
	return e.out.beat()
}

// beat writes a comment. It ends in one line feed, not in a blank line: some clients take
// a comment and a blank line for an empty event.
func (o *reply) beat() error {
	if err := o.write([]byte(": trunkline\n")); err != nil {
		return err
	}
	return o.flush()
}
