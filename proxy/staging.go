package proxy

import (
	"context"
	"sync"
	"time"
)

// stageTimeout bounds how long a sibling waits for the one before it.
const stageTimeout = 30 * time.Second

// stages hold back sibling forks whose common prefix no provider has read yet: a provider
// writes its cache once it has read a prompt, so siblings sent together would each be read
// in full. One goes first, and its first token, its failure, or stageTimeout lets the rest
// go. A provider that cannot match the cache of a busy slot gets them one after another:
// serial.
type stages struct {
	mu sync.Mutex
	at map[string]chan struct{} // fork point → closed when whoever is ahead lets go
}

// enter waits for the sibling ahead at this fork point, if there is one. It returns what
// lets those behind go, which must be called, and may be called again, and whether it has
// waited.
func (s *stages) enter(ctx context.Context, point string, serial bool) (leave func(), waited bool, err error) {
	leave = func() {}
	s.mu.Lock()
	if s.at == nil {
		s.at = map[string]chan struct{}{}
	}
	ahead := s.at[point]
	if ahead == nil || serial {
		mine := make(chan struct{})
		s.at[point] = mine
		leave = sync.OnceFunc(func() {
			close(mine)
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.at[point] == mine {
				delete(s.at, point)
			}
		})
	}
	s.mu.Unlock()
	if ahead == nil {
		return leave, false, nil
	}
	wait := time.NewTimer(stageTimeout)
	defer wait.Stop()
	select {
	case <-ahead:
	case <-wait.C:
	case <-ctx.Done():
		leave()
		return leave, true, context.Cause(ctx)
	}
	return leave, true, nil
}

// minCold is how many bytes of a fork point must be unread for staging to be worth a wait:
// about a thousand tokens.
const minCold = 4096

// stage holds the step back if it is a fork child's first and siblings go ahead of it.
func (e *exchange) stage(ctx context.Context) (leave func(), waited bool, err error) {
	if e.NoStaging || e.steps > 1 || e.info.Relation != RelationFork || e.lease == nil {
		return func() {}, false, nil
	}
	inherited := int64(e.head.Size()) + e.branch.Cut(e.history.Inherited).Bytes()
	if !e.Provider.Staging && inherited-e.measure.shared.Warm < minCold {
		return func() {}, false, nil
	}
	point := e.key.Tenant + "/" + e.history.ForkHead + "/" + formatRef(e.branch.Cut(e.history.Inherited).Ref())
	return e.stages.enter(ctx, point, e.Provider.Staging)
}
