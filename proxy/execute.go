package proxy

import (
	"context"
	"errors"
	"slices"

	"trunkline/agents"
	"trunkline/tools"
)

// result is what one of our calls came to: the text that the model reads.
type result struct {
	call tools.Call
	text string
}

// execute carries out our calls of one step, in call order. Each is idempotent under its
// step and ordinal, so a step may be executed again after a crash. An error is the
// store's; what the model did wrong is a result.
func (e *exchange) execute(ctx context.Context, step uint64, calls []tools.Call) ([]result, error) {
	results := make([]result, 0, len(calls))
	for _, call := range calls {
		text, err := e.executeOne(ctx, step, call)
		if err != nil {
			return nil, err
		}
		results = append(results, result{call, text})
	}
	return results, nil
}

func (e *exchange) executeOne(ctx context.Context, step uint64, call tools.Call) (string, error) {
	if !slices.Contains(e.history.Standard, call.Name) {
		return tools.Refused("the tool " + call.Name + " is not available to this agent"), nil
	}
	switch call.Name {
	case tools.SendMessage:
		return e.sendMessage(ctx, step, call)
	case tools.InterruptAgent:
		return e.interruptAgent(ctx, call)
	case tools.ListAgents:
		scope, err := tools.ParseListAgents(call.Arguments)
		if err != nil {
			return tools.Refused(err.Error()), nil
		}
		return e.list(ctx, scope)
	}
	return tools.Refused("the tool " + call.Name + " is not available"), nil
}

// beside is why a request that holds no lease acts on nobody.
const beside = "another request of this agent is being served"

func (e *exchange) sendMessage(ctx context.Context, step uint64, call tools.Call) (string, error) {
	to, text, err := tools.ParseSendMessage(call.Arguments)
	switch {
	case err != nil:
		return tools.NotDelivered(err.Error()), nil
	case e.lease == nil:
		return tools.NotDelivered(beside), nil
	}
	receipt, err := e.lease.Send(ctx, step, call.Ordinal, to, tools.Clean(text))
	var refused *agents.RefusedError
	if errors.As(err, &refused) {
		why := refused.Text
		if refused.Reason == agents.Unknown {
			why = tools.Unknown(to, refused.Tree)
		}
		return tools.NotDelivered(why), nil
	}
	return tools.Receipt(receipt), err
}

func (e *exchange) interruptAgent(ctx context.Context, call tools.Call) (string, error) {
	target, err := tools.ParseInterruptAgent(call.Arguments)
	switch {
	case err != nil:
		return tools.NotInterrupted(err.Error()), nil
	case e.lease == nil:
		return tools.NotInterrupted(beside), nil
	}
	err = e.lease.Interrupt(ctx, target)
	var refused *agents.RefusedError
	if errors.As(err, &refused) {
		return tools.NotInterrupted(refused.Text), nil
	}
	return tools.Interrupted(target), err
}

// list renders list_agents: one-shot children are traversed but not shown.
func (e *exchange) list(ctx context.Context, scope tools.Scope) (string, error) {
	below, err := e.Agents.List(ctx, e.key, agents.Scope(scope))
	if err != nil {
		return "", err
	}
	lines := make([]tools.Listed, 0, len(below))
	for _, a := range below {
		switch {
		case a.Diagnostic != "":
			lines = append(lines, tools.Listed{ID: a.ID, Diagnostic: a.Diagnostic})
		case a.Kind != agents.OneShot:
			lines = append(lines, tools.Listed{ID: a.ID, Status: string(a.Status), Label: a.Label, Parent: a.Parent, Depth: a.Depth})
		}
	}
	return tools.List(lines, scope), nil
}
