package proxy

import (
	"context"
	"errors"
	"net/http"

	"trunkline/prefix"
	"trunkline/tools"
)

// A request that comes again because its answer did not arrive is not a new one: what was
// executed for it stands, and what was answered is given once more.

// catchUp executes calls that were recorded by an exchange that ended before it had
// executed them, under the step that they were recorded in, and plans again.
func (e *exchange) catchUp(ctx context.Context) error {
	step := e.history.Executing
	at := e.branch.Len() - 1
	entry := *e.branch.At(at)
	var wrapped []byte
	wrapped = append(append(append(wrapped, `{"choices":[{"index":0,"message":`...), entry.Item...), `}]}`...)
	var answer tools.Answer
	answer.Parse(wrapped)
	ours, theirs := e.split(&answer)
	done, err := e.execute(ctx, step, ours)
	if err != nil {
		return err
	}
	if len(theirs) > 0 {
		for _, r := range done {
			entry.Held = append(entry.Held, prefix.Held{Ordinal: r.call.Ordinal, Item: tools.Result(r.call.ID, r.text)})
		}
		e.branch = e.branch.Cut(at)
		e.grow(entry)
	} else {
		for _, r := range done {
			e.grow(prefix.Entry{Item: tools.Result(r.call.ID, r.text), Hidden: true, Origin: prefix.OriginResult})
		}
	}
	h, put := e.standing()
	h.Executing, h.Whole = 0, len(theirs) > 0
	e.history = h
	if err := e.lease.Record(ctx, h, put, nil); err != nil {
		return err
	}
	err = e.lease.Next(ctx, e.plan(ctx))
	if errors.Is(err, errReplay) {
		return nil
	}
	return err
}

// recall takes up the steps that an earlier exchange of the same request went through: the
// client has not seen what they said.
func (e *exchange) recall() {
	for _, entry := range e.branch.All(e.history.Base) {
		if entry.Origin == prefix.OriginAnswer {
			e.messages = append(e.messages, entry.Item)
		}
	}
	e.earlier = len(e.messages)
}

// replay gives the client the answer that is on record and did not reach it whole.
func (e *exchange) replay(ctx context.Context) error {
	last := e.branch.At(e.branch.Len() - 1)
	if e.branch.Len() == e.history.Base {
		last = &prefix.Entry{Item: []byte(`{"role":"assistant","content":""}`)}
	}
	if err := e.give(last.Visible(), finishOf(last)); err != nil {
		return err
	}
	if e.lease != nil {
		return nil // closing it says that the answer was delivered
	}
	return e.Agents.Delivered(ctx, e.key, e.history.Branch)
}

// stopHere ends the client's answer by the proxy's own decision.
func (e *exchange) stopHere() error {
	if !e.out.started {
		return e.give(withText(tools.Seen(e.messages, e.own)), "stop")
	}
	if err := e.left(); err != nil {
		return err
	}
	if err := e.out.write(e.view.Interrupt()); err != nil {
		return err
	}
	return e.out.flush()
}

// give answers with an assistant item of the record.
func (e *exchange) give(message []byte, finish string) error {
	if err := e.left(); err != nil {
		return err
	}
	answer := tools.Replay{Shape: e.shape(), Message: message, Finish: finish}
	kind, body := "application/json", []byte(nil)
	if e.streams() {
		kind, body = "text/event-stream", answer.Stream()
	} else {
		body = answer.JSON()
	}
	e.out.startWhole(&http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}}, len(body))
	if err := e.out.write(body); err != nil {
		return err
	}
	return e.out.flush()
}

// left is the error of a client that has left. It is asked before the end of an answer is
// written: that the answer arrived is put on record then, and to a connection that was just
// closed a write succeeds.
func (e *exchange) left() error { return e.r.Context().Err() }

// relayEnd writes the end of the client's answer and returns what the exchange ends with.
func (e *exchange) relayEnd(after error) error {
	if err := e.left(); err != nil {
		return err
	}
	var out []byte
	if e.parsed == nil {
		out = e.view.End(true)
	} else {
		var err error
		out, err = tools.Join(e.messages[:e.earlier], e.bodies, e.own)
		if errors.Is(err, tools.ErrNoAnswer) {
			out = e.bodies[len(e.bodies)-1]
		} else if err != nil {
			return err
		}
		e.out.startWhole(e.last, len(out))
	}
	if err := e.out.write(out); err != nil {
		return err
	}
	if err := e.out.flush(); err != nil {
		return err
	}
	return after
}

// relayMore writes what a step that is not the last has left to say.
func (e *exchange) relayMore() error {
	if e.parsed != nil {
		return nil
	}
	if err := e.out.write(e.view.End(false)); err != nil {
		return err
	}
	return e.out.flush()
}
