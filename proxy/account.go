package proxy

import (
	"maps"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/tools"
)

// path is the step's request, hashed, and kept with its branch for what goes on from it.
func (e *exchange) path() reuse.Path {
	path := e.hashed(e.head, e.branch, e.history.ForkOwner)
	repairs := e.branches.get(e.key).repairs
	e.repaired = fresh(e.repairs, repairs)
	if e.lease != nil {
		k := kept{key: e.key, branch: e.branch, head: e.head, path: path, repairs: repairs}
		if e.history.HeadOwner == "" {
			k.headAt = agents.BlobRef{Owner: e.key, ID: e.history.Head}
		}
		e.branches.keep(k)
	}
	return path
}

// hashed is the path of a head and a branch. The hashes of what the agent sent before, or
// else the one that it has them from, are kept: only what is new is hashed.
func (e *exchange) hashed(head prefix.Head, branch prefix.Branch, from string) reuse.Path {
	k := e.branches.get(e.key)
	if k.path.Len() == 0 && from != "" {
		k = e.branches.get(agents.Key{Tenant: e.key.Tenant, ID: from})
	}
	if k.path.Len() == 0 || !k.head.Equal(head) {
		return reuse.PathOf(e.Provider.Render, head, branch.Items(0))
	}
	n := k.branch.Shared(branch)
	return k.path.Cut(n).Extend(branch.Items(n))
}

// account opens the account of the step's request.
func (e *exchange) account(path reuse.Path, items [][]byte) {
	relation := e.info.Relation
	if e.steps > 1 {
		relation = RelationContinuation
	}
	e.measure = e.Server.measure(e.key.Tenant, e.info.Model, e.key.ID, path, items, relation)
	e.measure.rec = RecordingOf(e.r.Context())
	info := &e.measure.info
	info.Agent = e.key.ID
	info.Traceparent = e.r.Header.Get("Traceparent")
	if e.steps == 1 {
		e.measure.show(e.out.w.Header())
		info.Repairs = e.repaired
		info.Fork = e.forked()
	}
}

// measured closes the account of the step's request.
func (e *exchange) measured(status int) {
	answer := e.answer()
	state := answer.State()
	if state == tools.Incomplete && answer.Done && !answer.Unread {
		state = tools.Complete // some providers end without a finish reason
	}
	e.measure.done(status, state)
	if e.measure.info.Taken && e.lease != nil {
		e.branches.repaired(e.key, e.repairs)
	}
	if e.measure.info.Completed && !answer.Multiple {
		e.measure.answered(answer.Message())
	}
}

// forked says how a fork child's head came out, at its first request.
func (e *exchange) forked() ForkHead {
	switch {
	case e.info.Relation != RelationFork:
		return ""
	case len(e.change.Repairs) > 0 && e.change.Cause == prefix.CauseNone, e.change.Cause == prefix.CauseSystemMoved:
		return ForkRepaired // what the child has of its own stands in its tail
	case e.change.Cause != prefix.CauseNone:
		return ForkDiverged
	}
	return ForkByteEqual
}

// noteRepairs counts what this request's plan sends in earlier bytes, and which insertions
// it had to give up.
func (e *exchange) noteRepairs(of prefix.Alignment) {
	e.repairs = maps.Clone(of.Repairs)
	if e.repairs == nil {
		e.repairs = map[string]int{}
	}
	for _, kind := range e.change.Repairs {
		e.repairs[kind]++
	}
	if n := len(of.Dropped); n > 0 {
		e.repairs[prefix.RepairInsertionDropped] = n
	}
}

// fresh is what was not already repaired in the agent's request before: a client repeats
// its own bytes for the rest of a conversation.
func fresh(now, before map[string]int) map[string]int {
	out := map[string]int{}
	for kind, n := range now {
		if n > before[kind] {
			out[kind] = n - before[kind]
		}
	}
	return out
}
