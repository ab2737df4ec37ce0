package proxy

import (
	"context"
	"errors"

	"trunkline/agents"
	"trunkline/prefix"
)

// auxiliary makes the exchange one beside the branch: the client's own bytes go up, and
// nothing of the agent's is claimed, recorded or settled.
func (e *exchange) auxiliary() error {
	e.asides.note(e.key, e.body.Items[e.body.LeadingSystem():])
	e.head = prefix.HeadOf(e.body)
	e.history = agents.History{}
	branch, _ := prefix.Branch{}.Append(prefix.Merge(prefix.Branch{}, e.body.Items[e.body.LeadingSystem():]))
	e.branch = branch
	return nil
}

// concurrent composes the request with the agent as it was at its arrival: another
// exchange of the agent lives, or has finished meanwhile, so this one claims and records
// nothing, and its calls of ours are answered with an error.
func (e *exchange) concurrent(ctx context.Context, met *agents.Agent) error {
	err := e.composeBeside(ctx, met)
	if !errors.Is(err, prefix.ErrMissing) {
		return err
	}
	// The other one has put results beside its answer, and dropped what it had without them.
	now, err := e.Agents.Load(ctx, e.key)
	if err != nil {
		return err
	}
	return e.composeBeside(ctx, now.Agent)
}

func (e *exchange) composeBeside(ctx context.Context, met *agents.Agent) error {
	met, err := e.withoutOpenCalls(ctx, met)
	if err != nil {
		return err
	}
	p, err := e.align(ctx, met)
	if err == errBeside {
		return e.auxiliary()
	} else if err != nil {
		return err
	}
	if _, err := p.step(nil); err == errReplay {
		return nil // its answer is on record, and still on its way to the other one
	} else if err != nil {
		return err
	}
	if e.kind == planResume {
		e.recall()
	}
	e.kind = planBeside
	return nil
}

// withoutOpenCalls is the agent before an answer whose calls of ours have no results yet:
// the other exchange is executing them. Going up without results they would be refused, and
// any result that is given here would be one that the other one's model never reads.
func (e *exchange) withoutOpenCalls(ctx context.Context, met *agents.Agent) (*agents.Agent, error) {
	h := met.History
	if h.Executing == 0 {
		return met, nil
	}
	branch, err := e.branches.load(ctx, e.key, h.Owners, h.Branch)
	if err != nil {
		return nil, err
	}
	branch = branch.Cut(branch.Len() - 1)
	h.Branch, h.Len, h.Executing = formatRef(branch.Ref()), branch.Len(), 0
	before := *met
	before.History = h
	return &before, nil
}
