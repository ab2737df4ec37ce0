package reuse

import (
	lru "container/list"
	"slices"
)

// count adjusts how many positions a tenant holds.
func (x *Index) count(tenant string, by int) {
	h := x.tenants[tenant]
	if h == nil {
		h = &holding{runs: lru.New()}
		x.tenants[tenant] = h
	}
	h.entries += by
	x.entries += by
}

// evict frees what was unused longest until the bounds hold. The path that was
// added last is the newest everywhere and within the bounds, so it stays.
func (x *Index) evict(tenant string) {
	h := x.tenants[tenant]
	for h.entries > x.cfg.PerTenant {
		x.free(h.runs.Back().Value.(*run))
	}
	for x.entries > x.cfg.Entries {
		x.free(x.runs.Back().Value.(*run))
	}
}

// free drops the end of r that no other run goes on from.
func (x *Index) free(r *run) {
	keep := r.needed()
	for _, sum := range r.sums[keep-r.at:] {
		delete(r.scope.at, sum)
	}
	tenant := r.scope.Tenant
	x.count(tenant, -(r.last() - keep))
	x.park(r)
	if keep > r.at {
		r.truncate(keep)
		return
	}
	if up := r.parent; up != nil {
		up.disown(r)
		if up.all == nil && up.needed() < up.last() {
			// Its end is free again, and no newer than what left it.
			up.all = x.runs.PushBack(up)
			up.own = x.tenants[tenant].runs.PushBack(up)
		}
	}
	if len(r.scope.at) == 0 {
		delete(x.scopes, r.scope.Scope)
	}
	if x.tenants[tenant].entries == 0 {
		delete(x.tenants, tenant)
	}
}

// needed returns the last position of r that another run goes on from; r.at when
// none does.
func (r *run) needed() int {
	last := r.at
	for at := range r.forks {
		last = max(last, at)
	}
	return last
}

func (r *run) disown(kid *run) {
	r.kids.Remove(kid.kin)
	if r.forks[kid.at]--; r.forks[kid.at] == 0 {
		delete(r.forks, kid.at)
	}
}

// truncate cuts r to the positions up to keep. Memory that a long run held is
// given back.
func (r *run) truncate(keep int) {
	r.sums = slices.Clone(r.sums[:keep-r.at])
	r.meanings = slices.Clone(r.meanings[:keep-r.at])
	r.ends = slices.DeleteFunc(r.ends, func(e end) bool { return e.at > keep })
	r.warm = min(r.warm, keep)
	var reached []reach
	for _, at := range r.reached {
		if at.at = min(at.at, keep); len(reached) > 0 && reached[len(reached)-1].at == at.at {
			reached = reached[:len(reached)-1]
		}
		reached = append(reached, at)
	}
	r.reached = reached
}
