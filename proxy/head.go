package proxy

import (
	"context"
	"slices"

	"trunkline/prefix"
	"trunkline/tools"
)

// resolveHead decides the head that goes upstream: pinned where it means the same, the
// parent's for a fork child, followed where the client changed it.
func (p *alignment) resolveHead(ctx context.Context) error {
	e := p.exchange
	seen := prefix.HeadOf(e.body)
	h := &p.history
	last, err := e.branches.head(ctx, e.key, h.HeadOwner, h.Head)
	if err != nil {
		return err
	}
	p.last, p.sending.head = last, last
	if h.ForkHead != "" {
		parent, err := e.branches.head(ctx, e.key, h.ForkOwner, h.ForkHead)
		if err != nil {
			return err
		}
		if h.Head == "" {
			p.sending.head = parent
		}
		e.head, e.change = parent.Fork(seen, p.isStandard)
		e.refused = e.change.Refused
		if kept := p.deny(e.head.Tools); len(kept) < len(e.head.Tools) {
			e.head.Tools, e.change.Cause = kept, prefix.CauseToolsChanged
		}
		if p.first {
			p.relate(RelationFork)
		} else {
			p.relate(RelationContinuation)
		}
	} else {
		if h.Head == "" {
			h.Standard = p.standardNames()
		}
		e.head, e.change = last.Follow(seen, pinnedTools(last, h.Standard), !e.NoRepair)
		switch {
		case !p.first:
			p.relate(RelationContinuation)
		case p.agent.Parent != "":
			p.relate(RelationSpawn)
		default:
			p.relate(RelationRoot)
		}
	}
	// A client's own tool of a standard name is the client's.
	h.Standard = slices.DeleteFunc(slices.Clone(h.Standard), func(name string) bool {
		return !e.InterceptOwn && slices.ContainsFunc(e.body.Tools, func(t prefix.Tool) bool { return t.Name == name })
	})
	if p.info.Model == "" {
		p.info.Model, _ = prefix.Text(e.head.Field("model")) // inherited
	}
	if !e.head.Equal(last) {
		blob := blobOf(e.head)
		h.Head, h.HeadOwner = blob.ID, ""
		if h.Head == h.ForkHead {
			h.HeadOwner = h.ForkOwner // the parent's own bytes: nothing to store
		} else {
			p.put = append(p.put, blob)
		}
	}
	return nil
}

func (p *alignment) relate(r Relation) { p.info.Relation = r }

func (p *alignment) isStandard(name string) bool { return slices.Contains(p.history.Standard, name) }

// standardNames are the standard tools that the agent gets at its first request.
func (p *alignment) standardNames() []string {
	var names []string
	for _, name := range tools.Names() {
		own := slices.ContainsFunc(p.body.Tools, func(t prefix.Tool) bool { return t.Name == name })
		if slices.Contains(p.Tools, name) && !slices.Contains(p.agent.Deny, name) && !own {
			names = append(names, name)
		}
	}
	return names
}

// pinnedTools are the standard tools in the bytes that the agent's head has pinned; at
// the first request in the bytes of this binary.
func pinnedTools(head prefix.Head, names []string) [][]byte {
	var raw [][]byte
	for _, name := range names {
		at := slices.IndexFunc(head.Tools, func(t []byte) bool { return prefix.ToolName(t) == name })
		if at >= 0 {
			raw = append(raw, head.Tools[at])
		} else {
			raw = append(raw, tools.Standard([]string{name})...)
		}
	}
	return raw
}

// deny removes the standard tools that the child shall not have. It breaks the prefix, and
// is what the client asked for.
func (p *alignment) deny(list [][]byte) [][]byte {
	if len(p.agent.Deny) == 0 {
		return list
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(t []byte) bool {
		name := prefix.ToolName(t)
		return slices.Contains(p.agent.Deny, name) && p.isStandard(name)
	})
	p.history.Standard = slices.DeleteFunc(slices.Clone(p.history.Standard), func(name string) bool {
		return slices.Contains(p.agent.Deny, name)
	})
	return kept
}
