package proxy

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/tools"
)

// maxSteps bounds the provider requests behind one response.
const maxSteps = 32

// settleTimeout bounds what is written after the client has left.
const settleTimeout = 5 * time.Second

// exchange is one request of an identified agent, from its body to its recorded answer.
// One goroutine runs it, top to bottom: begin, then for each step send, relay and record,
// then close.
type exchange struct {
	*Server
	r    *http.Request
	out  *reply
	info *RequestInfo
	key  agents.Key
	from caller
	body *prefix.Body

	// lease is the right to write the agent's record; nil for a request beside the
	// branch (auxiliary or concurrent), which claims and records nothing.
	lease   *agents.Exchange
	history agents.History // as last written, or as it would be
	branch  prefix.Branch  // entries up to the next provider request
	unsaved []prefix.Entry // behind it, not yet in the record
	head    prefix.Head
	steps   int

	// refused are tools that a fork child left out of its list: they are in the prompt,
	// and calls of them are answered with an error.
	refused []string
	kind    planKind
	change  prefix.HeadChange
	measure *measure       // of the current step
	release func()         // lets sibling forks go that wait for this step; nil before the first
	repairs map[string]int // kind → items sent in the bytes sent before
	// repaired are those of repairs that the agent's last request that was taken had not.
	repaired map[string]int

	// The answer so far: view for a stream, bodies for whole responses.
	view     *tools.View
	bodies   [][]byte
	parsed   *tools.Answer  // of the last of bodies
	last     *http.Response // it came with
	messages [][]byte       // the assistant item of each step of this answer
	earlier  int            // of messages: those recorded by an exchange before this one
	edits    []prefix.Edit  // asks for usage that the client left open
}

// caller is who an identified request is from.
type caller struct {
	id      string
	who     agents.Identity
	adopted bool // by headers that the client sends of itself
}

// exchange serves a request of an identified agent.
func (s *Server) exchange(r *http.Request, out *reply, info *RequestInfo, body *prefix.Body, from caller) error {
	if !body.HasMessages || wantsSeveral(body) {
		// Nothing to align with: the provider judges it. Several choices have no one
		// continuation, so such a request stays beside the agent.
		info.Relation = RelationAuxiliary
		return s.transparent(r, out, info, body)
	}
	e := &exchange{
		Server: s, r: r, out: out, info: info, body: body, from: from,
		key: agents.Key{Tenant: s.tenant(r), ID: from.id},
	}
	if model, ok := body.Field("model"); ok {
		info.Model, _ = prefix.Text(model)
	}
	ctx := r.Context()
	if err := e.begin(ctx); err != nil {
		return gone(ctx, err)
	}
	err := errPanicked
	defer func() {
		if closed := e.close(ctx, err); closed != nil {
			// The client has its answer, or its error. An agent that was not given back is
			// free when its lease lapses; that its answer arrived, the next request shows.
			e.Log.Warn("the agent was not given back", "err", closed)
		}
	}()
	err = e.run(ctx)
	if errors.Is(err, errRelayed) {
		return nil
	}
	return gone(ctx, err)
}

// errPanicked is what an exchange ends with that never came to its end.
var errPanicked = errors.New("the exchange panicked")

func wantsSeveral(body *prefix.Body) bool {
	n, ok := body.Field("n")
	return ok && string(n) != "1" && string(n) != "null"
}

// begin registers the agent and takes it, or finds that the request stands beside it. A
// child's first request that fails takes the child away, but not the requests that met it:
// one of them is the first then, of the child as it was registered.
func (e *exchange) begin(ctx context.Context) error {
	var before agents.Snapshot
	for {
		now, err := e.register(ctx)
		if err != nil {
			return err
		}
		err = e.take(ctx)
		rolledBack := errors.Is(err, agents.ErrNotFound) && now.Parent != "" && !now.Begun && !now.Ahead
		if !rolledBack || before.Agent != nil && now.Is(before) {
			return err
		}
		before, e.from.who = now, now.Identity()
	}
}

// register finds the agent, or makes it.
func (e *exchange) register(ctx context.Context) (agents.Snapshot, error) {
	snap, err := e.Agents.Register(ctx, e.key, e.from.who)
	var mismatch *agents.MismatchError
	if e.from.adopted && (errors.Is(err, agents.ErrUnknownParent) || errors.As(err, &mismatch)) {
		// The client's own parent id may name something that never came by here.
		return e.Agents.Register(ctx, e.key, agents.Identity{})
	}
	return snap, err
}

// take takes the agent for this request, as soon as it is free.
func (e *exchange) take(ctx context.Context) error {
	for {
		var lease *agents.Exchange
		err := reread(func() (err error) {
			lease, err = e.Agents.Begin(ctx, e.key, e.plan(ctx))
			return err
		})
		switch {
		case err == nil:
			e.lease = lease
			return nil
		case errors.Is(err, errBeside):
			return e.auxiliary()
		case errors.Is(err, errReplay):
			return nil
		case !errors.Is(err, agents.ErrLeased):
			return err
		}
		snap, err := e.Agents.Load(ctx, e.key)
		if err != nil {
			return err
		}
		met, err := e.Agents.Meet(unrecorded(ctx), snap)
		if err != nil {
			return err
		}
		if met == agents.Concurrent {
			return e.concurrent(ctx, snap.Agent)
		}
	}
}

// run makes the provider requests of the exchange until the client's answer is complete.
func (e *exchange) run(ctx context.Context) error {
	h := e.out.w.Header()
	h.Set("X-Agent-Id", e.key.ID)
	if e.lease != nil {
		setUint(h, "X-Agent-Turn", e.lease.Agent.Turn)
	}
	for e.kind == planExecute {
		if err := e.catchUp(ctx); err != nil {
			return err
		}
	}
	e.detach()
	e.edits = e.askUsage(e.body, true)
	e.view = tools.NewView(tools.ViewConfig{Own: e.own, HideUsage: len(e.edits) > 0, Shape: e.shape()})
	if e.kind == planReplay {
		return e.replay(ctx)
	}
	if e.kind == planResume {
		e.recall()
	}
	for {
		e.steps++
		e.info.Steps = e.steps
		more, err := e.step(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// detach lets go of the client's body once nothing more is planned from it: the history
// that goes up is the branch's, and stays in memory as that.
func (e *exchange) detach() {
	e.head = e.head.Clone()
	e.change.Moved = nil
	e.body = e.body.Detach(e.head, e.branch.Items(0))
}

// close gives the agent back, also when the client has left.
func (e *exchange) close(ctx context.Context, failed error) error {
	if e.lease == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	if failed != nil && !e.lease.Agent.Begun {
		return e.lease.Rollback(ctx)
	}
	return e.lease.Close(ctx, failed == nil)
}

// own reports whether calls of this name are executed here.
func (e *exchange) own(name string) bool {
	return slices.Contains(e.history.Standard, name) || slices.Contains(e.refused, name)
}

func (e *exchange) shape() tools.Shape {
	return tools.NewShape(e.key.Tenant+"/"+e.key.ID+"/"+e.history.Branch, e.info.Model)
}

func (e *exchange) streams() bool {
	stream, _ := e.body.Field("stream")
	return string(stream) == "true"
}
