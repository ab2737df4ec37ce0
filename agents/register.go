package agents

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Identity is what a client says of an agent. Zero fields are defaults at registration
// and say nothing later.
type Identity struct {
	Parent string
	Mode   Mode
	Kind   Kind
	Label  string
	Notify Notify
	Head   HeadRule
	Deny   []string

	ahead bool // whoever says it may make no request
}

// Register returns the agent, registering it at first sight: under who.Parent, else as a
// root. ErrUnknownParent; ErrRootMode; *MismatchError when it is registered with another identity.
// Of two that register an id at once one decides, and the other is held to it.
func (s *Service) Register(ctx context.Context, key Key, who Identity) (Snapshot, error) {
	snap, found, err := s.register(ctx, key, who)
	if found && err == nil {
		err = snap.check(who)
	}
	return snap, err
}

// Create is Register for who says everything at once: what who leaves out is the default,
// and not whatever an agent of that id was registered with. It reports whether the agent
// is new; ErrUnknownParent, or *MismatchError, label included. A first request that fails
// does not take such an agent with it (see [Exchange.Rollback]): what was said of it here
// nobody would say again.
func (s *Service) Create(ctx context.Context, key Key, who Identity) (snap Snapshot, fresh bool, err error) {
	who.ahead = true
	snap, found, err := s.register(ctx, key, who)
	if found && err == nil {
		err = snap.same(who)
	}
	return snap, err == nil && !found, err
}

// register returns the agent, and whether somebody had registered it before.
func (s *Service) register(ctx context.Context, key Key, who Identity) (snap Snapshot, found bool, err error) {
	for {
		snap, err = s.load(ctx, key)
		switch {
		case err == nil && snap.Ending:
			// The id is free when the deletion is through, whoever began it.
			if err := s.finish(ctx, key); err != nil {
				return Snapshot{}, false, err
			}
		case err == nil && snap.Step == 0:
			// Who created it may have ended before it had shown it for good.
			if snap, err = s.show(ctx, snap); !errors.Is(err, ErrConflict) {
				return snap, true, err
			}
		case err == nil:
			return snap, true, nil
		case !errors.Is(err, ErrNotFound):
			return snap, false, err
		}
		if snap, err = s.create(ctx, key, who); !errors.Is(err, ErrConflict) {
			return snap, false, err
		}
		if err := ctx.Err(); err != nil {
			return snap, false, context.Cause(ctx)
		}
	}
}

// create registers an agent that has no record. ErrConflict when it has one by now.
func (s *Service) create(ctx context.Context, key Key, who Identity) (Snapshot, error) {
	var parent Snapshot
	switch {
	case who.Parent == "" && who.Mode != "":
		return Snapshot{}, ErrRootMode
	case who.Parent != "":
		var err error
		if parent, err = s.adopt(ctx, Key{key.Tenant, who.Parent}); err != nil {
			return Snapshot{}, err
		}
	}
	snap := Snapshot{newAgent(key.ID, who, parent.Agent, time.Now()), key, 0}
	if parent.Agent != nil {
		snap.Under, snap.Created = parent.born(), parent.Youngest
	}
	// The directory first: a name without a record is harmless, a record that no list
	// shows is not.
	if err := s.Store.Enroll(ctx, Key{key.Tenant, snap.Root}, key.ID); err != nil {
		return snap, err
	}
	snap, err := s.commit(ctx, snap, func(*Agent, *Change) error { return nil })
	if err != nil {
		return snap, err
	}
	return s.show(ctx, snap)
}

// show ends a registration. A deletion of the parent, or of an earlier agent of this id, may
// have passed before the record was there: it did not see the record, so the record must see
// it, and the name must be enrolled again. ErrConflict when the parent that it was registered
// under is gone; then the registration is, too.
func (s *Service) show(ctx context.Context, snap Snapshot) (Snapshot, error) {
	if orphan, err := s.orphaned(ctx, snap); err != nil {
		return snap, err
	} else if orphan {
		return snap, cmp.Or(s.discard(ctx, snap), ErrConflict)
	}
	return snap, s.Store.Enroll(ctx, Key{snap.Key.Tenant, snap.Root}, snap.ID)
}

// orphaned reports whether the parent that an agent was registered under is gone. Another
// agent of its id is not the parent.
func (s *Service) orphaned(ctx context.Context, a Snapshot) (bool, error) {
	if a.Parent == "" {
		return false, nil
	}
	parent, err := s.Load(ctx, Key{a.Key.Tenant, a.Parent})
	switch {
	case errors.Is(err, ErrNotFound):
		return true, nil
	case errors.Is(err, ErrUnreadable):
		return false, nil // nobody knows
	}
	return err == nil && !a.isUnder(parent), err
}

// isUnder reports whether the agent was registered under this parent, and not under an
// earlier one of its id. That one came before the agent, so whoever did is no later one: its
// record may have lost its birth to an earlier version of this program on the same store.
func (a *Agent) isUnder(parent Snapshot) bool {
	return a.Under == 0 || a.Under == parent.born() || parent.Created < a.Created
}

// adopt shows the parent that it is about to have a child, which keeps it from being
// retired meanwhile, and when that child is created.
func (s *Service) adopt(ctx context.Context, parent Key) (Snapshot, error) {
	snap, err := s.update(ctx, parent, func(a *Agent, _ *Change) error {
		a.Alive = time.Now().UnixMilli()
		a.Youngest = max(a.Alive, a.Youngest+1)
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return snap, ErrUnknownParent
	}
	return snap, err
}

// newAgent registers an agent under parent (nil for a root). It is ready: its first
// request opens its first activation.
func newAgent(id string, who Identity, parent *Agent, now time.Time) *Agent {
	a := &Agent{
		ID:      id,
		Root:    id,
		Mode:    ModeRoot,
		Kind:    cmp.Or(who.Kind, Continuable),
		Driver:  ClientDriven,
		Label:   who.Label,
		Notify:  cmp.Or(who.Notify, NotifySettled),
		Head:    cmp.Or(who.Head, HeadOwn),
		Deny:    who.Deny,
		Created: now.UnixMilli(),
		Alive:   now.UnixMilli(),
		Ahead:   who.ahead,
		Status:  Ready,
		History: History{Provisional: true},
	}
	if parent != nil {
		a.Parent, a.Root, a.Depth = parent.ID, parent.Root, parent.Depth+1
		a.Mode = cmp.Or(who.Mode, ModeFork)
	}
	if a.Kind == OneShot {
		a.Notify = NotifyNone
	}
	return a
}

// Identity is what the agent was registered with.
func (a *Agent) Identity() Identity {
	return Identity{
		Parent: a.Parent, Mode: a.Mode, Kind: a.Kind, Label: a.Label,
		Notify: a.Notify, Head: a.Head, Deny: a.Deny, ahead: a.Ahead,
	}
}

// check returns a *MismatchError when who contradicts the registration. Repeating it is
// fine, and so is leaving things out.
func (a *Agent) check(who Identity) error {
	for _, f := range []struct{ name, have, want string }{
		{"parent", a.Parent, who.Parent},
		{"mode", string(a.Mode), string(who.Mode)},
		{"kind", string(a.Kind), string(who.Kind)},
		{"notify", string(a.Notify), string(who.Notify)},
		{"head rule", string(a.Head), string(who.Head)},
	} {
		if f.want == "" || f.want == f.have {
			continue
		}
		if f.name == "mode" && a.Mode == ModeRoot {
			continue // a root has no mode to contradict
		}
		if f.name == "notify" && a.Kind == OneShot {
			continue // fixed by the kind
		}
		return &MismatchError{f.name, f.have, f.want}
	}
	if len(who.Deny) > 0 && !sameSet(a.Deny, who.Deny) {
		return &MismatchError{"denied tools", strings.Join(a.Deny, ","), strings.Join(who.Deny, ",")}
	}
	return nil
}

// same returns a *MismatchError unless who, with its defaults, is the registration.
func (a *Agent) same(who Identity) error {
	var parent *Agent
	if who.Parent != "" {
		parent = &Agent{ID: who.Parent}
	}
	want := newAgent(a.ID, who, parent, time.Time{})
	switch {
	case a.Parent != want.Parent:
		return &MismatchError{"parent", a.Parent, want.Parent}
	case a.Label != want.Label:
		return &MismatchError{"label", a.Label, want.Label}
	case !sameSet(a.Deny, want.Deny):
		return &MismatchError{"denied tools", strings.Join(a.Deny, ","), strings.Join(want.Deny, ",")}
	}
	return a.check(Identity{Mode: want.Mode, Kind: want.Kind, Notify: want.Notify, Head: want.Head})
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
