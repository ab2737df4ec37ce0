package proxy

import (
	"context"

	"trunkline/agents"
	"trunkline/prefix"
)

// alignment is one try of a plan: the agent as it was read, and the client's request
// matched with it.
type alignment struct {
	*exchange
	agent   *agents.Agent
	history agents.History
	branch  prefix.Branch // as recorded
	seen    []prefix.Item // the client's items behind its leading system items
	from    int           // where matching starts
	first   bool          // the agent has no branch of its own yet
	last    prefix.Head   // the head of the agent's last request
	sending sending       // what was sent last of the history that this one goes on from
	prefix.Alignment
	put []agents.Blob
}

// align matches the request with the agent's branch and decides what it is.
func (e *exchange) align(ctx context.Context, a *agents.Agent) (*alignment, error) {
	p := &alignment{exchange: e, agent: a, history: a.History, seen: e.body.Items[e.body.LeadingSystem():]}
	p.first = a.History.Len == a.History.Inherited
	var err error
	if p.first && a.Parent != "" && a.History.ForkHead == "" {
		err = p.inherit(ctx)
	} else {
		p.branch, err = e.branches.load(ctx, e.key, p.history.Owners, p.history.Branch)
		p.sending = sending{from: e.key.ID, branch: p.branch, last: a.History.Last}
	}
	if err != nil {
		return nil, err
	}
	if err := p.resolveHead(ctx); err != nil {
		return nil, err
	}
	e.remind(p.sending)
	p.follow()
	e.kind = planExtend
	switch {
	case p.first:
	case p.auxiliary():
		e.kind = planBeside
		p.relate(RelationAuxiliary)
		return nil, errBeside
	case p.superseded():
		if err := p.restart(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// match aligns under the settings of the proxy and of the provider's profile. The last
// stale entries do not stand.
func (e *exchange) match(branch prefix.Branch, from, stale int, seen []prefix.Item, h agents.History) prefix.Alignment {
	return prefix.Align(branch, from, seen, prefix.Options{
		Stale:         stale,
		Repair:        !e.NoRepair,
		KeepReasoning: e.Provider.KeepReasoning,
		Sent:          h.Sent,
		Echoed:        h.Echoed,
		Echoes:        e.echoes,
	})
}
