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
}

// Register returns the agent, registering it at first sight: under who.Parent, else as a
// root. ErrUnknownParent; *MismatchError when it is registered with another identity.
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
// is new; ErrUnknownParent, or *MismatchError, label included.
func (s *Service) Create(ctx context.Context, key Key, who Identity) (snap Snapshot, fresh bool, err error) {
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
			// Who created it may have ended before it enrolled it for good.
			return snap, true, s.Store.Enroll(ctx, Key{key.Tenant, snap.Root}, key.ID)
		case err == nil:
			return snap, true, nil
		case !errors.Is(err, ErrNotFound):
			return snap, false, err
		}
		if snap, err = s.create(ctx, key, who); !errors.Is(err, ErrConflict) {
			return snap, false, err
		}
	}
}

// create registers an agent that has no record. ErrConflict when it has one by now.
func (s *Service) create(ctx context.Context, key Key, who Identity) (Snapshot, error) {
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
	snap := Snapshot{newAgent(key.ID, who, parent, time.Now()), key, 0}
	root := Key{key.Tenant, snap.Root}
	// The directory first: a name without a record is harmless, a record that no list
	// shows is not.
	if err := s.Store.Enroll(ctx, root, key.ID); err != nil {
		return snap, err
	}
	if err := s.adopt(ctx, snap); err != nil {
		return snap, err
	}
	snap, err := s.commit(ctx, snap, func(*Agent, *Change) error { return nil })
	if err != nil {
		return snap, err
	}
	// A deletion of the parent, or of an earlier agent of this id, may have passed
	// between: it did not see this record, so this record must see it.
	if parent != nil {
		if _, err := s.Load(ctx, Key{key.Tenant, parent.ID}); errors.Is(err, ErrNotFound) {
			return snap, errors.Join(ErrUnknownParent, s.Delete(ctx, key))
		} else if err != nil {
			return snap, err
		}
	}
	return snap, s.Store.Enroll(ctx, root, key.ID)
}

// adopt shows the parent that it is about to have a child, which keeps it from being
// retired meanwhile.
func (s *Service) adopt(ctx context.Context, child Snapshot) error {
	if child.Parent == "" {
		return nil
	}
	_, err := s.update(ctx, Key{child.Key.Tenant, child.Parent}, func(a *Agent, _ *Change) error {
		a.Alive = time.Now().UnixMilli()
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return ErrUnknownParent
	}
	return err
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
