package proxy

import (
	"context"
	"fmt"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/tools"
)

// settle records a step's answer and decides how the client's answer goes on: with another
// step when there were only calls of ours, or when something is pending that this turn
// still reads; else it ends here. What the client must not see before it is durable, the
// end of its answer, is written last.
func (e *exchange) settle(ctx context.Context) (more bool, err error) {
	answer := e.answer()
	switch {
	case answer.Failure != nil:
		e.info.Outcome = OutcomeProvider
		return false, e.relayEnd(errRelayed)
	case answer.Multiple:
		return false, e.relayEnd(nil)
	case answer.State() != tools.Complete && !(answer.Done && !answer.Unread && len(answer.Calls()) == 0):
		// The provider ended without saying so, or said what cannot be read. What came is
		// relayed as it came; it is no answer, so nothing is executed or recorded, and the
		// turn stays open. Without our calls, which stay hidden, its finish would be
		// another one than the provider's.
		if ours, _ := e.split(answer); len(ours) > 0 && answer.Finish != "" {
			return false, fmt.Errorf("%w: it calls tools, and a part of it cannot be read", errBroken)
		}
		e.info.Outcome = OutcomeIncomplete
		return false, e.relayEnd(errRelayed)
	}
	ours, theirs := e.split(answer)
	message := answer.Message()
	if answer.Cut() {
		ours = nil
		message = tools.Seen([][]byte{message}, e.own)
	}
	message = withText(message)
	e.messages = append(e.messages, message)
	e.history.Last = e.sent(answer, message)
	switch {
	case len(ours) > 0 && len(theirs) == 0:
		return e.ownStep(ctx, message, ours)
	case len(ours) > 0:
		return false, e.mixedStep(ctx, message, ours)
	case len(theirs) > 0:
		return false, e.finish(ctx, e.standsFor(message, e.seen()), agents.Turn{})
	}
	turn := agents.Turn{Over: true, Outcome: outcome(answer), Closing: answer.Text(), Extend: !e.wantsJSON() || answer.Text() == ""}
	last := e.standsFor(message, e.seen())
	last.Source = finishSource(answer.Finish)
	over, err := e.answered(ctx, last, turn)
	switch {
	case err != nil:
		return false, err
	case over:
		if e.parsed == nil && answer.Finish == "" {
			e.info.Outcome = OutcomeIncomplete // "[DONE]" alone does not say how it ended
		}
		return false, e.relayEnd(nil)
	}
	return true, e.extend(ctx, message)
}

// split tells our calls from the client's.
func (e *exchange) split(answer *tools.Answer) (ours, theirs []tools.Call) {
	for _, call := range answer.Calls() {
		if e.own(call.Name) {
			ours = append(ours, call)
		} else {
			theirs = append(theirs, call)
		}
	}
	return ours, theirs
}

func outcome(answer *tools.Answer) agents.Outcome {
	switch answer.Finish {
	case "length":
		return agents.MaxTokens
	case "content_filter":
		return agents.Refusal
	}
	return agents.Completed
}

// wantsJSON: an answer in a JSON format is one document; more text would spoil it.
func (e *exchange) wantsJSON() bool {
	for _, f := range e.head.Fields {
		if f.Name == "response_format" {
			members, err := prefix.Members(f.Raw)
			if err != nil {
				return false
			}
			for _, m := range members {
				if kind, _ := prefix.Text(m.Value.Of(f.Raw)); m.Name == "type" {
					return kind == "json_object" || kind == "json_schema"
				}
			}
		}
	}
	return false
}

// ownStep records an answer that only calls us, executes it, and records the results
// together with what the step boundary takes: the next request is ready then.
//
// A crash after the first write leaves the calls recorded without results; the next
// request of the agent executes them, under the same names.
func (e *exchange) ownStep(ctx context.Context, message []byte, calls []tools.Call) (more bool, err error) {
	if err := e.append(ctx, prefix.Entry{Item: message, Hidden: true, Origin: prefix.OriginAnswer}, true); err != nil {
		return false, err
	}
	if err := e.results(ctx, calls); err != nil {
		return false, err
	}
	if e.steps >= maxSteps {
		return false, e.limit(ctx)
	}
	if err := e.relayMore(); err != nil {
		return false, err
	}
	return true, e.boundary(ctx)
}

// mixedStep records an answer that calls both us and the client. Our results wait beside
// it until the client returns with its own.
func (e *exchange) mixedStep(ctx context.Context, message []byte, calls []tools.Call) error {
	before := e.branch
	entry := e.standsFor(message, e.seen())
	if err := e.append(ctx, entry, true); err != nil {
		return err
	}
	pending := e.branch.Ref().Node
	done, err := e.execute(ctx, e.history.Executing, calls)
	if err != nil {
		return err
	}
	for _, r := range done {
		entry.Held = append(entry.Held, prefix.Held{Ordinal: r.call.Ordinal, Item: tools.Result(r.call.ID, r.text)})
	}
	e.branch = before
	return e.finish(ctx, entry, agents.Turn{Drop: []string{segmentBlob(pending)}})
}

// extend goes on after an answer without calls, because something came for the agent
// while it was given.
func (e *exchange) extend(ctx context.Context, message []byte) error {
	// Providers refuse an answer that says nothing (case 41), unless roles have to alternate.
	if e.Provider.AlternateRoles || !emptyMessage(message) {
		e.grow(prefix.Entry{Item: message, Hidden: true, Origin: prefix.OriginAnswer})
	}
	if err := e.relayMore(); err != nil {
		return err
	}
	return e.boundary(ctx)
}

// results executes the calls that end the branch and appends their results.
func (e *exchange) results(ctx context.Context, calls []tools.Call) error {
	done, err := e.execute(ctx, e.history.Executing, calls)
	if err != nil {
		return err
	}
	for _, r := range done {
		e.grow(prefix.Entry{Item: tools.Result(r.call.ID, r.text), Hidden: true, Origin: prefix.OriginResult})
	}
	return nil
}

// finish records the end of the client's answer in a turn that stays open, and relays it.
func (e *exchange) finish(ctx context.Context, last prefix.Entry, turn agents.Turn) error {
	if _, err := e.answered(ctx, last, turn); err != nil {
		return err
	}
	return e.relayEnd(nil)
}

// limit ends the response after too many steps: our calls are answered and recorded, and
// the turn stays open for the client's next request. The last result ends what the client
// sees as one answer.
func (e *exchange) limit(ctx context.Context) error {
	last := &e.unsaved[len(e.unsaved)-1]
	last.Hidden = false
	last.Group = e.branch.Len() + len(e.unsaved) - e.history.Base
	last.Seen = tools.Seen(e.messages, e.own)
	h, put := e.standing()
	h.Executing, h.Whole = 0, true
	if e.lease != nil {
		if _, err := e.lease.Answered(ctx, agents.Turn{History: h, Put: put}); err != nil {
			return err
		}
	}
	e.history = h
	return e.stopHere()
}

// interrupted ends the client's answer where it stands: what was said is kept, as a turn
// that was stopped; calls that were being made are not.
func (e *exchange) interrupted(ctx context.Context) error {
	message := withText(tools.Seen([][]byte{e.view.Answer().Message()}, func(string) bool { return true }))
	e.messages = append(e.messages, message)
	_, err := e.answered(ctx, e.standsFor(message, tools.Seen(e.messages, e.own)), agents.Turn{Over: true, Outcome: agents.Aborted, Closing: prefix.ContentText(message)})
	if err != nil {
		return err
	}
	return e.stopHere()
}
