package agents

import (
	"cmp"
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

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
