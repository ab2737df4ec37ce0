package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/proxy/sse"
	"trunkline/tools"
)

// errInterrupted is the cause of a step that somebody interrupted.
var errInterrupted = errors.New("the turn was interrupted")

// step makes one provider request and brings its answer to the client and into the
// record. more says that the answer goes on with another step.
//
// An interrupt, and the loss of the lease, cut the provider's answer and nothing else: what
// is written about the answer finds out by itself, and must not be left half done.
func (e *exchange) step(whole context.Context) (more bool, err error) {
	ctx, cancel := context.WithCancelCause(whole)
	defer cancel(nil)
	if e.lease != nil {
		watched := make(chan struct{})
		defer func() { cancel(nil); <-watched }()
		go func() {
			defer close(watched)
			select {
			case <-e.lease.Interrupted():
				cancel(errInterrupted)
			case <-e.lease.Lost():
				cancel(agents.ErrFenced)
			case <-ctx.Done():
			}
		}()
	}
	resp, err := e.send(ctx)
	if err == nil && e.blamesEntries(resp) {
		e.measured(resp.StatusCode)
		resp.Body.Close()
		resp, err = e.sendWithout(ctx)
	}
	if err != nil {
		e.measured(0)
	} else {
		defer e.release()
		defer resp.Body.Close()
		switch {
		case resp.StatusCode/100 != 2:
			err = e.refusedBy(ctx, resp)
		case isStream(resp.Header):
			err = e.relay(ctx, resp)
		default:
			err = e.whole(ctx, resp)
		}
		e.release()
		e.measured(resp.StatusCode)
	}
	switch {
	case errors.Is(context.Cause(ctx), errInterrupted):
		return false, e.interrupted(context.WithoutCancel(ctx))
	case err != nil && errors.Is(context.Cause(ctx), agents.ErrFenced):
		return false, agents.ErrFenced // a store says only that it was called off
	case err != nil:
		return false, err
	}
	return e.settle(whole)
}

// send sends the next request of the branch, keeping a held response alive meanwhile.
func (e *exchange) send(ctx context.Context) (resp *http.Response, err error) {
	items := e.branch.Items(0)
	path := e.path()
	marked := e.breakpoints(e.info.Model, path, e.head, e.branch)
	path = path.Marked(marked)
	e.account(path, items)
	marked = append(marked, e.Provider.For(e.info.Model).Surplus(path, e.head, items)...)
	parts := prefix.Compose(e.body, e.head, items, marked, e.edits...)
	e.info.forward()
	stop := e.heartbeat()
	defer stop()
	var waited bool
	if e.release, waited, err = e.stage(ctx); err != nil {
		return nil, err
	}
	if waited {
		e.account(path, items) // a sibling has warmed the prefix meanwhile
	}
	resp, err = e.up.do(ctx, outgoing{
		method: e.r.Method, url: e.r.URL, header: e.r.Header, plain: true,
		parts: parts, length: size(parts), sticky: e.key.Tenant + "/" + e.root(),
	})
	if err != nil || resp.StatusCode/100 != 2 {
		e.release()
	}
	return resp, err
}

func (e *exchange) root() string {
	if e.lease != nil {
		return e.lease.Agent.Root
	}
	return e.key.ID
}

// lingering is how long a provider has after "[DONE]" to end the body, too. One that does
// lets its connection be used again.
const lingering = 250 * time.Millisecond

// relay brings a streamed answer to the client: raw frames as they come, read beside.
func (e *exchange) relay(ctx context.Context, resp *http.Response) error {
	if !e.out.started {
		e.out.start(resp, false)
		if err := e.out.write(e.view.Prelude(e.messages)); err != nil {
			return err
		}
	}
	e.parsed = nil // of an earlier step that came in one piece
	stop := e.heartbeat()
	defer stop()
	events := sse.NewReader(resp.Body, e.EventMax)
	over := false
	for {
		ev, err := events.Next()
		stop() // the writer is ours again
		if err == io.EOF || over && err != nil {
			return nil
		} else if err != nil {
			return fmt.Errorf("%w: %w", errBroken, err)
		}
		e.measure.info.Unread = e.measure.info.Unread || ev.Uninspected
		var out []byte
		switch {
		case ev.Uninspected:
			out = e.view.Pass(ev.Raw)
		case ev.Incomplete:
			out = e.view.Rest(ev.Raw)
		default:
			out = e.view.Frame(ev.Raw, ev.Name, ev.Data)
		}
		if e.measure.note(ev.Data); e.measure.info.TTFT > 0 && !e.Provider.Staging {
			e.release()
		}
		if e.view.Answer().Done && !over {
			// The client has the end only with the record of it: nobody may hold that up.
			over = true
			defer time.AfterFunc(lingering, func() { resp.Body.Close() }).Stop()
		}
		if len(out) > 0 {
			e.out.open = ev.Incomplete || ev.More
		}
		if !e.measure.info.Taken && len(ev.Data) > 0 && e.view.Answer().Failure == nil {
			e.measure.info.Taken = true
			if err := e.accept(ctx); err != nil {
				return err
			}
		}
		if len(out) == 0 {
			if err := e.beatWhenDue(); err != nil {
				return err
			}
			continue
		}
		if err := e.out.write(out); err != nil {
			return err
		}
		if err := e.out.flush(); err != nil {
			return err
		}
	}
}

// whole reads an answer that comes in one piece; the client gets it when no step follows.
func (e *exchange) whole(ctx context.Context, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, e.MaxBody+1))
	if err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	if int64(len(body)) > e.MaxBody {
		return &Error{Status: 502, Code: "answer_too_large", Message: fmt.Sprintf("the provider's answer has more than %d bytes", e.MaxBody)}
	}
	answer := new(tools.Answer)
	answer.Parse(body)
	e.measure.note(body)
	if e.out.started {
		return e.piece(ctx, resp, answer)
	}
	e.bodies = append(e.bodies, body)
	e.parsed = answer
	e.last = resp
	if answer.Failure != nil || answer.Unread {
		return nil
	}
	e.measure.info.Taken = true
	return e.accept(ctx)
}

// piece goes on with a stream where the provider answers a later step in one piece: as the
// events that it might have sent.
func (e *exchange) piece(ctx context.Context, resp *http.Response, answer *tools.Answer) error {
	if answer.State() != tools.Complete {
		return &Error{Status: 502, Code: "upstream_error", Message: "the provider gave no answer in the middle of the turn"}
	}
	events := tools.Replay{Message: answer.Message(), Finish: answer.Finish, Usage: answer.Usage}.Stream()
	resp.Body = io.NopCloser(bytes.NewReader(events))
	return e.relay(ctx, resp)
}

// answer is what the current step brought.
func (e *exchange) answer() *tools.Answer {
	if e.parsed != nil {
		return e.parsed
	}
	return e.view.Answer()
}

// accept commits what the step took from the inbox.
func (e *exchange) accept(ctx context.Context) error {
	if e.lease == nil {
		return nil
	}
	return e.lease.Accepted(ctx)
}

// refusedBy relays the provider's own error answer.
func (e *exchange) refusedBy(ctx context.Context, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, e.MaxBody))
	if err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	e.info.Outcome = OutcomeProvider
	e.unpaired(resp.StatusCode, e.key.ID, e.body)
	if e.out.started {
		return &Error{Status: 502, Code: "upstream_error",
			Message: "the provider answered " + strconv.Itoa(resp.StatusCode) + " in the middle of the turn"}
	}
	e.out.start(resp, true)
	if err := e.out.write(body); err != nil {
		return err
	}
	return errRelayed
}

// errRelayed ends an exchange whose response is the provider's own error, already out.
var errRelayed = errors.New("the provider's error was relayed")
