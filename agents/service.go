package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Config is what a Service needs.
type Config struct {
	Store Store
	// Holder names this process among those that share the store. Required.
	Holder string
	// Lease is how long a silent holder keeps an exchange; renewed every fifth of it, and by
	// each of its writes. The same for all that share the store. Zero: 10 s.
	Lease time.Duration
	// Residency is how long an open turn waits for its client. Zero: 30 min.
	Residency time.Duration
	// RootTTL is how long a root stays live without a sign of life. Zero: 24 h.
	RootTTL time.Duration
	// Histories tells what of a history is still referred to; nil keeps everything.
	Histories Histories
	// Retention is how long settled agents are kept. Zero: 30 days.
	Retention time.Duration
	// Trace is told what happened; its zero value tells nobody.
	Trace Trace
	// Log defaults to discarding.
	Log *slog.Logger
}

// Service runs the transitions of this package against a Store. It is safe for
// concurrent use, and so are several Services on one store.
type Service struct {
	Config

	mu      sync.Mutex
	changed map[Key]chan struct{} // agent → closed at its next change
}

// New returns a Service. Run must run for hints of other processes and for the end of
// abandoned activations.
func New(c Config) *Service {
	if c.Lease == 0 {
		c.Lease = 10 * time.Second
	}
	if c.Residency == 0 {
		c.Residency = 30 * time.Minute
	}
	if c.RootTTL == 0 {
		c.RootTTL = 24 * time.Hour
	}
	if c.Retention == 0 {
		c.Retention = 720 * time.Hour
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Config: c, changed: map[Key]chan struct{}{}}
}

// Snapshot is an agent as it was read.
type Snapshot struct {
	*Agent
	Key     Key
	Version uint64
}

// born names the agent among all that ever had its id.
func (s Snapshot) born() uint64 { return s.bornAt(s.Version) }

// Is reports whether both are readings of one agent, and not of one and a later one that
// has its id.
func (s Snapshot) Is(other Snapshot) bool {
	return s.Key == other.Key && s.born() == other.born()
}

// Load reads an agent. ErrNotFound, ErrUnreadable, or an error of the store. An agent that
// is being deleted is not found.
func (s *Service) Load(ctx context.Context, key Key) (Snapshot, error) {
	snap, err := s.load(ctx, key)
	if err == nil && snap.Ending {
		return Snapshot{}, ErrNotFound
	}
	return snap, err
}

// load is Load for those who carry a deletion out.
func (s *Service) load(ctx context.Context, key Key) (Snapshot, error) {
	stored, err := s.Store.Load(ctx, key)
	if err != nil {
		return Snapshot{}, err
	}
	a, err := decode(stored.Data)
	return Snapshot{a, key, stored.Version}, err
}

// leased reports whether an exchange holds the agent now.
func (s *Service) leased(a *Agent) bool {
	return a.Leased(time.Now(), s.Holder, s.Store.Exclusive())
}

// errUnchanged ends an update without a write and without an error. The transition must
// not have changed anything then.
var errUnchanged = errors.New("nothing to change")

// update loads, applies the transition and commits, again from the start when another
// writer came between. The transition may set change.Put and change.Drop; it runs once
// for each try and must not do I/O. It may run on what its own earlier try has written,
// when a store repeats a write whose answer was lost: then it must change nothing more.
func (s *Service) update(ctx context.Context, key Key, transition func(a *Agent, c *Change) error) (Snapshot, error) {
	return s.retry(ctx, key, s.Load, transition)
}

// retry is update with what it loads by.
func (s *Service) retry(ctx context.Context, key Key, load func(context.Context, Key) (Snapshot, error), transition func(a *Agent, c *Change) error) (Snapshot, error) {
	for {
		snap, err := load(ctx, key)
		if err != nil {
			return snap, err
		}
		next, err := s.commit(ctx, snap, transition)
		if !errors.Is(err, ErrConflict) {
			return next, err
		}
		if err := ctx.Err(); err != nil {
			return next, context.Cause(ctx)
		}
	}
}

// commit applies the transition to what was read and writes it if the record is still at
// that version; ErrConflict if not. The snapshot is consumed.
func (s *Service) commit(ctx context.Context, snap Snapshot, transition func(a *Agent, c *Change) error) (Snapshot, error) {
	change := Change{Version: snap.Version}
	if err := transition(snap.Agent, &change); err != nil {
		if errors.Is(err, errUnchanged) {
			err = nil
		}
		return snap, err
	}
	snap.Agent.Born = snap.born()
	var err error
	if change.Data, err = snap.Agent.encode(); err != nil {
		return snap, fmt.Errorf("encode agent %s: %w", snap.ID, err)
	}
	if snap.Version, err = s.Store.Commit(ctx, snap.Key, change); err != nil {
		return snap, err
	}
	s.signal(snap.Key)
	return snap, nil
}

// Changed returns a channel that is closed at the agent's next change, as far as this
// process learns of it. Ask before reading, then read, then wait.
func (s *Service) Changed(key Key) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.changed[key]
	if c == nil {
		c = make(chan struct{})
		s.changed[key] = c
	}
	return c
}

// signal wakes those who wait for the agent; the zero Key wakes all.
func (s *Service) signal(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key == (Key{}) {
		for _, c := range s.changed {
			close(c)
		}
		clear(s.changed)
		return
	}
	if c := s.changed[key]; c != nil {
		close(c)
		delete(s.changed, key)
	}
}
