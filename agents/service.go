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
	// Lease is how long a silent holder keeps an exchange; renewed every fifth of it.
	// Zero: 10 s.
	Lease time.Duration
	// Residency is how long an open turn waits for its client. Zero: 30 min.
	Residency time.Duration
	// RootTTL is how long a root stays live without a sign of life. Zero: 24 h.
	RootTTL time.Duration
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

// Load reads an agent. ErrNotFound, ErrUnreadable, or an error of the store.
func (s *Service) Load(ctx context.Context, key Key) (Snapshot, error) {
	stored, err := s.Store.Load(ctx, key)
	if err != nil {
		return Snapshot{}, err
	}
	a, err := decode(stored.Data)
	return Snapshot{a, key, stored.Version}, err
}

// errUnchanged ends an update without a write and without an error.
var errUnchanged = errors.New("nothing to change")

// update loads, applies the transition and commits, again from the start when another
// writer came between. The transition may set change.Put and change.Drop; it runs once
// for each try and must not do I/O.
func (s *Service) update(ctx context.Context, key Key, transition func(a *Agent, c *Change) error) (Snapshot, error) {
	for {
		snap, err := s.Load(ctx, key)
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

// Register returns the agent, registering it at first sight: under who.Parent, else as a
// root. ErrUnknownParent; *MismatchError when it is registered with another identity.
func (s *Service) Register(ctx context.Context, key Key, who Identity) (Snapshot, error) {
	for {
		snap, err := s.Load(ctx, key)
		if err == nil {
			return snap, snap.check(who)
		}
		if !errors.Is(err, ErrNotFound) {
			return snap, err
		}
		var parent *Agent
		if who.Parent != "" {
			p, err := s.Load(ctx, Key{key.Tenant, who.Parent})
			if errors.Is(err, ErrNotFound) {
				return p, ErrUnknownParent
			} else if err != nil {
				return p, err
			}
			parent = p.Agent
		}
		snap = Snapshot{newAgent(key.ID, who, parent, time.Now()), key, 0}
		// The directory first: a name without a record is harmless, a record that no
		// list shows is not.
		if err := s.Store.Enroll(ctx, Key{key.Tenant, snap.Root}, key.ID); err != nil {
			return snap, err
		}
		snap, err = s.commit(ctx, snap, func(*Agent, *Change) error { return nil })
		if !errors.Is(err, ErrConflict) {
			return snap, err
		}
	}
}
