package proxy

import (
	"context"
	"errors"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/tools"
)

// inherit starts a child's history at its parent's. A fork takes the head and the items up
// to the parent's last completed turn, by reference: nothing is copied. A client that sends
// the inherited history itself has cut it where it did; what it sent again is matched, and
// its task is what follows.
func (p *alignment) inherit(ctx context.Context) error {
	parent, err := p.Agents.Load(ctx, agents.Key{Tenant: p.key.Tenant, ID: p.agent.Parent})
	if errors.Is(err, agents.ErrNotFound) {
		return nil // deleted meanwhile: the child stands alone
	} else if err != nil {
		return err
	}
	from := parent.History
	if from.Head == "" || p.agent.Mode == agents.ModeSpawn && !p.inheritsHead(ctx, parent) {
		return nil
	}
	h := &p.history
	h.ForkHead, h.ForkOwner = from.Head, from.HeadOwner
	if h.ForkOwner == "" {
		h.ForkOwner = parent.ID
	}
	h.Standard = from.Standard
	if p.agent.Mode == agents.ModeSpawn {
		return nil
	}
	branch, err := p.branches.load(ctx, parent.Key, from.Owners, from.Branch)
	if err != nil {
		return err
	}
	branch = branch.Cut(completed(branch))
	if again := p.match(branch, 0, p.seen, from); again.Matched > 0 && asks(again.New) {
		branch = branch.Cut(again.Keep)
		h.Resends = true
	}
	branch = p.foresee(branch, from)
	h.Owners = append([]string{parent.ID}, from.Owners...)
	h.Inherited, h.Len, h.Sent, h.Echoed = branch.Len(), branch.Len(), branch.Len(), branch.Len()
	h.Branch = formatRef(branch.Ref())
	p.branch = branch
	return nil
}

// foresee decides the reasoning of an inherited answer that the parent has not sent yet.
// The parent will send what its client echoes; so does the fork, as far as earlier echoes
// and the provider's profile tell.
func (p *alignment) foresee(branch prefix.Branch, from agents.History) prefix.Branch {
	at := branch.Len() - 1
	if at < from.Sent || from.Keeps == "yes" || from.Keeps == "" && p.Provider.KeepReasoning {
		return branch
	}
	entry := *branch.At(at)
	item := prefix.WithoutReasoning(entry.Item)
	if len(item) == len(entry.Item) {
		return branch
	}
	entry.Item, entry.Seen = item, entry.Visible()
	branch, segment := branch.Cut(at).Append([]prefix.Entry{entry})
	p.put = append(p.put, agents.Blob{ID: segmentBlob(segment.Node()), Data: segment.Encode()})
	return branch
}

// inheritsHead reports whether a spawn asked for its parent's head and fits it: the same
// system prompt, and no tool or field of its own.
func (p *alignment) inheritsHead(ctx context.Context, parent agents.Snapshot) bool {
	if p.agent.Head != agents.HeadInherit {
		return false
	}
	head, err := p.branches.head(ctx, parent.Key, parent.History.HeadOwner, parent.History.Head)
	if err != nil {
		return false
	}
	_, change := head.Fork(prefix.HeadOf(p.body), func(string) bool { return false })
	return change.Cause == prefix.CauseNone
}

// completed is where the last completed turn ends: behind the last answer that calls
// nothing. No unfinished call and no pending entry is before it.
func completed(branch prefix.Branch) int {
	for i := branch.Len() - 1; i >= 0; i-- {
		entry := branch.At(i)
		if entry.Hidden {
			continue
		}
		item := prefix.ItemOf(entry.Item)
		if item.Role == "assistant" && !item.HasCalls {
			return i + 1
		}
	}
	return 0
}

// asks reports whether a user item is among the items: a task of the child's own.
func asks(items []prefix.Item) bool {
	for _, i := range items {
		if i.Role == "user" {
			return true
		}
	}
	return false
}

// guide adds to a child's first user item what is the child's own: its system text that
// is not the parent's, ahead of the task, and behind it the instruction to report to its
// parent. None of it can stand in the head, which is the parent's.
func (p *alignment) guide(entries []prefix.Entry) {
	if p.agent.Parent == "" {
		return
	}
	for i := range entries {
		entry := &entries[i]
		if prefix.ItemOf(entry.Item).Role != "user" {
			continue
		}
		item := entry.Item
		for j := len(p.change.Moved) - 1; j >= 0; j-- {
			if with, ok := prefix.PrependText(item, prefix.ContentText(p.change.Moved[j])+"\n\n"); ok {
				item = with
			}
		}
		if p.agent.Kind == agents.Continuable && p.isStandard(tools.SendMessage) {
			if with, ok := prefix.AppendText(item, tools.Guidance(p.agent.Parent)); ok {
				item = with
			}
		}
		entry.Origin = prefix.OriginTask
		if string(item) != string(entry.Item) {
			entry.Item, entry.Seen = item, entry.Item
		}
		return
	}
}
