package proxy

import (
	"context"
	"errors"
	"strings"

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
	p.sending = sending{from: parent.ID, branch: branch, last: from.Last}
	turns := branch.Cut(completed(branch))
	inherited := p.resent(turns, from)
	if open := p.resent(branch, from); from.Whole && open.items > inherited.items {
		inherited = open // its client brings the parent's open turn along
	}
	h.Resends, h.ResendsFrom = inherited.items > 0, inherited.from
	branch = p.foresee(inherited.branch, from)
	h.Owners = append([]string{parent.ID}, from.Owners...)
	h.Inherited, h.Len, h.Sent, h.Echoed = branch.Len(), branch.Len(), branch.Len(), branch.Len()
	h.Branch = formatRef(branch.Ref())
	p.branch = branch
	return nil
}

// resent is what a fork child inherits of a branch, and for how many of the items that its
// client sends that stands.
type resent struct {
	branch prefix.Branch
	items  int
	from   int // where in the branch they begin
}

// resent cuts a branch where a client that sends inherited history itself has cut it: what
// it sent again is matched, and what follows is its own. A client that sends nothing of the
// branch, or nothing else, keeps its own items only, and inherits all of it. When the parent
// is a fork too, its client may know the parent's own items only, or what it sends again
// itself: the child sends those.
func (p *alignment) resent(branch prefix.Branch, from agents.History) resent {
	start := 0
	again := p.match(branch, 0, 0, p.seen, from)
	for _, at := range []int{from.ResendsFrom, from.Inherited} {
		if again.Matched == 0 && 0 < at && at < branch.Len() {
			start = at
			again = p.match(branch, at, 0, p.seen, from)
		}
	}
	if again.Matched == 0 || !asks(again.New) {
		return resent{branch: branch}
	}
	n := again.Keep
	for n > 0 && branch.At(n-1).Inserted() {
		n-- // read behind the cut
	}
	return resent{branch.Cut(n), again.Matched, start}
}

// follow matches the request with the agent's own branch. A fork's client may send what it
// inherits with one request and leave it out of the next: the way counts by which the
// request goes on from the child's own items.
func (p *alignment) follow() {
	h := &p.history
	way := func(resends bool) (from int, a prefix.Alignment) {
		if from = h.ResendsFrom; !resends {
			from = h.Inherited
		}
		return from, p.match(p.branch, from, 0, p.seen, *h)
	}
	p.from, p.Alignment = way(h.Resends)
	if p.first || h.Inherited == 0 || p.Keep > h.Inherited {
		return
	}
	if from, a := way(!h.Resends); a.Keep > h.Inherited {
		p.from, p.Alignment, h.Resends = from, a, !h.Resends
	}
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
// nothing. No unfinished call and no pending entry is before it. An assistant item with which
// the client ends its request is no answer, but the beginning of the one to come.
func completed(branch prefix.Branch) int {
	followed := false // by an item of the client's
	for i := branch.Len() - 1; i >= 0; i-- {
		entry := branch.At(i)
		if entry.Hidden {
			continue
		}
		item := prefix.ItemOf(entry.Item)
		switch {
		case item.Role != "assistant":
			followed = true
		case !item.HasCalls && (followed || entry.Origin != prefix.OriginClient):
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
func (p *alignment) guide(cut prefix.Branch, entries []prefix.Entry) {
	if p.agent.Parent == "" || p.tasked(cut) {
		return
	}
	for i := range entries {
		entry := &entries[i]
		if prefix.ItemOf(entry.Item).Role != "user" {
			continue
		}
		item := entry.Item
		if text := p.moved(); text != "" {
			if with, ok := prefix.PrependText(item, text); ok {
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

// moved is the child's own system text as it stands ahead of its task, "" for none.
func (p *alignment) moved() string { return told(p.change.Moved) }

// told is what system items say, as text ahead of another one.
func told(system [][]byte) string {
	var text strings.Builder
	for _, item := range system {
		text.WriteString(prefix.ContentText(item) + "\n\n")
	}
	return text.String()
}

// tasked reports whether the child's task stands in the branch. Its first request need not have
// brought one.
func (p *alignment) tasked(branch prefix.Branch) bool {
	for _, entry := range branch.All(p.history.Inherited) {
		if entry.Origin == prefix.OriginTask {
			return true
		}
	}
	return false
}

// task finds the child's task in its branch, and the system text ahead of it; at is -1 when
// there is none.
func (p *alignment) task() (at int, moved string) {
	for i, entry := range p.branch.All(p.history.Inherited) {
		if entry.Origin == prefix.OriginTask {
			text, own := prefix.ContentText(entry.Item), prefix.ContentText(entry.Visible())
			if now := p.moved(); strings.HasPrefix(text, now+own) {
				return i, now
			}
			moved, found := strings.CutSuffix(text, own+tools.Guidance(p.agent.Parent))
			if !found {
				moved, _, _ = strings.Cut(text, own)
			}
			return i, moved
		}
	}
	return -1, ""
}
