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
	return e.end(nil, e.view.Interrupt())
}

// give answers with an assistant item of the record.
func (e *exchange) give(message []byte, finish string) error {
	answer := tools.Replay{Shape: e.shape(), Message: message, Finish: finish}
	kind, body := "application/json", []byte(nil)
	if e.streams() {
		kind, body = "text/event-stream", answer.Stream()
	} else {
		body = answer.JSON()
	}
	return e.end(&http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}}, body)
}

// relayEnd writes the end of the client's answer and returns what the exchange ends with.
func (e *exchange) relayEnd(after error) error {
	var out []byte
	var whole *http.Response
	if e.parsed == nil {
		out = e.view.End(true)
	} else {
		var err error
		whole = e.last
		out, err = tools.Join(e.messages[:e.earlier], e.bodies, e.own)
		if errors.Is(err, tools.ErrNoAnswer) {
			out = e.bodies[len(e.bodies)-1]
		} else if err != nil {
			return err
		}
	}
	if err := e.end(whole, out); err != nil {
		return err
	}
	return after
}

// end writes the last of the client's answer; all of it, if whole is its response. A client
// that has left does not get it, though a write to a connection that was just closed may
// succeed: what was written is put on record as arrived.
func (e *exchange) end(whole *http.Response, out []byte) error {
	if err := e.r.Context().Err(); err != nil {
		return err
	}
	if whole != nil {
		e.out.startWhole(whole, len(out))
	}
	if err := e.out.write(out); err != nil {
		return err
	}
	return e.out.flush()
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
