package sim

import (
	"context"
	"slices"
	"sync"
)

// Stats are the server's counters since its start.
type Stats struct {
	Requests         int            `json:"requests"` // all paths but /sim/
	InFlight         int            `json:"in_flight"`
	Cancelled        int            `json:"cancelled"` // the client left before the end
	PromptTokens     int            `json:"prompt_tokens"`
	CachedTokens     int            `json:"cached_tokens"`
	CompletionTokens int            `json:"completion_tokens"` // of complete answers
	Replicas         []ReplicaStats `json:"replicas"`
}

// ReplicaStats describe one replica's cache.
type ReplicaStats struct {
	Blocks  int `json:"blocks"`  // resident now
	Evicted int `json:"evicted"` // since the start
}

// board holds the counters and tells waiters of each change.
type board struct {
	mu      sync.Mutex
	stats   Stats
	changed chan struct{} // closed and replaced at each change; nil without waiters
}

func (b *board) update(f func(*Stats)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.stats)
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// read returns the counters and a channel that closes at their next change.
func (b *board) read() (Stats, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.stats, b.changed
}

// Stats returns the counters now.
func (s *Server) Stats() Stats {
	st, _ := s.board.read()
	return s.withReplicas(st)
}

// Await returns when ok holds for the counters, or with ctx's error.
func (s *Server) Await(ctx context.Context, ok func(Stats) bool) error {
	for {
		st, changed := s.board.read()
		if ok(s.withReplicas(st)) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *Server) withReplicas(st Stats) Stats {
	st.Replicas = slices.Grow([]ReplicaStats(nil), len(s.replicas))
	for _, c := range s.replicas {
		st.Replicas = append(st.Replicas, c.stats())
	}
	return st
}
