package agents_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"trunkline/agents"
)

// weaver is an agent's client, the proxy's part for it, and its model, all at random: it
// asks until it has an answer to each of its prompts, or gives a prompt up for another.
type weaver struct {
	*loom
	*ledger
	rand    *rand.Rand
	ctx     context.Context
	id      string
	parent  string
	around  []string // whom it writes to
	request string   // the name of the item that it brings; p… is a prompt, r… results
	told    int      // names and texts given so far
}

var errReplay = errors.New("answered before")

// life asks for n answers.
func (w *weaver) life(n int) {
	for orphaned := 0; n > 0; {
		if w.request == "" {
			w.request = w.name("p")
		}
		over, err := w.ask()
		switch {
		case err == nil && over:
			n--
			w.request = ""
		case errors.Is(err, agents.ErrUnknownParent):
			// Deleted: somebody registers the parent again, or nobody does any more.
			if orphaned++; orphaned > 5 {
				return
			}
			time.Sleep(time.Second)
		case errors.Is(err, agents.ErrInterrupted), err != nil && w.rand.IntN(4) == 0:
			w.request = "" // something else
		}
	}
}

func (w *weaver) name(kind string) string {
	w.told++
	return fmt.Sprintf("%s-%s-%d", kind, w.id, w.told)
}

// ask makes one request, wherever it gets. over says that the client has an answer that
// ends its turn.
func (w *weaver) ask() (over bool, err error) {
	p := w.process(w.rand.IntN(2))
	key := agents.Key{Tenant: "t", ID: w.id}
	life := w.lifeOf(w.id)
	if _, err := p.Register(w.ctx, key, agents.Identity{Parent: w.parent}); err != nil {
		return false, err
	}
	x, err := p.Begin(w.ctx, key, w.plan)
	if errors.Is(err, errReplay) {
		return true, nil
	}
	if errors.Is(err, agents.ErrLeased) {
		met, err := p.Load(w.ctx, key)
		if err == nil {
			_, err = p.Meet(w.ctx, met)
		}
		return false, errors.Join(agents.ErrLeased, err)
	}
	if err != nil {
		return false, err
	}
	w.began(x)
	over, err = w.serve(x)
	if x.Agent.Begun {
		w.stood(w.id, life)
	}
	if err != nil && !x.Agent.Begun && !w.ended(p) {
		w.rolledBack(w.id)
		return false, errors.Join(err, x.Rollback(w.ctx))
	}
	// A dead process tells its client nothing.
	return over && !w.ended(p), errors.Join(err, x.Close(w.ctx, err == nil))
}

// plan is the toy of a proxy's plan.
func (w *weaver) plan(a *agents.Agent, pending []agents.Pending) (agents.Step, error) {
	h := a.History
	kept := strings.Fields(h.Branch)
	var step agents.Step
	var own []string
	switch again := slices.Contains(kept, w.request); {
	case again && h.Executing != 0:
		step.History = h
		return step, nil
	case again && h.Whole && a.Lease != nil:
		return step, agents.ErrLeased
	case again && h.Whole:
		return step, errReplay
	case again:
	case w.request == "":
		step.Wake = true
	default:
		own = []string{w.request}
		step.Prompt = w.request[0] == 'p'
		if !h.Whole { // the client gave up what was there
			kept = kept[:h.Base]
		}
		h.Base = len(kept)
	}
	for _, id := range a.Reserved {
		if !slices.Contains(kept, id) {
			step.Returned = append(step.Returned, id)
		}
	}
	for _, p := range pending {
		kept = append(kept, p.ID)
	}
	h.Branch = strings.Join(append(kept, own...), " ")
	h.Whole, h.Delivered, h.Executing = false, false, 0
	step.History, step.Claim = h, len(pending)
	return step, nil
}

// serve makes the exchange's provider requests.
func (w *weaver) serve(x *agents.Exchange) (over bool, err error) {
	if x.Agent.History.Executing != 0 {
		if err := w.execute(x); err != nil {
			return false, err
		}
	}
	for {
		w.sent(x)
		if w.rand.IntN(10) == 0 {
			return false, errors.New("the provider fails")
		}
		w.saw(x)
		taken := x.Agent.Reserved
		if err := x.Accepted(w.ctx); err != nil {
			return false, err
		}
		w.confirmed(x, taken)
		switch {
		case closed(x.Lost()):
			return false, agents.ErrFenced
		case closed(x.Interrupted()):
			return x.Answered(w.ctx, agents.Turn{History: answered(x.Agent.History, ""), Over: true, Outcome: agents.Aborted})
		}
		switch n := w.rand.IntN(6); {
		case n < 2:
			if err := w.call(x); err != nil {
				return false, err
			}
		case n == 2:
			_, err := x.Answered(w.ctx, agents.Turn{History: answered(x.Agent.History, w.name("c"))})
			if err == nil {
				w.request = w.name("r")
			}
			return false, err
		default:
			answer := agents.Turn{History: answered(x.Agent.History, w.name("a")), Over: true, Outcome: agents.Completed, Closing: "bye", Extend: true}
			if over, err := x.Answered(w.ctx, answer); over || err != nil {
				return true, err
			}
			if err := x.Next(w.ctx, w.carryOn("")); err != nil {
				return false, err
			}
			w.took(x)
		}
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// call records that the model sends messages, and executes it.
func (w *weaver) call(x *agents.Exchange) error {
	h := x.Agent.History
	for range 1 + w.rand.IntN(2) {
		h.Branch += " " + w.name("send>"+w.around[w.rand.IntN(len(w.around))]+">")
	}
	h.Executing = x.Agent.Step
	if err := x.Record(w.ctx, h, nil, nil); err != nil {
		return err
	}
	return w.execute(x)
}

// execute carries out the calls at the end of the branch and goes on to the next step.
func (w *weaver) execute(x *agents.Exchange) error {
	items := strings.Fields(x.Agent.History.Branch)
	at := len(items)
	for strings.HasPrefix(items[at-1], "send>") {
		at--
	}
	for ordinal, item := range items[at:] {
		to := strings.Split(item, ">")[1]
		life := w.lifeOf(to)
		receipt, err := x.Send(w.ctx, x.Agent.History.Executing, ordinal, to, item)
		var refused *agents.RefusedError
		switch {
		case err == nil:
			w.accepted(receipt, x.Agent.Opened, life)
		case !errors.As(err, &refused):
			return err
		}
	}
	if err := x.Next(w.ctx, w.carryOn(w.name("results"))); err != nil {
		return err
	}
	w.took(x)
	return nil
}

// carryOn is the plan of a later step: own behind what is there, then what is pending.
func (w *weaver) carryOn(own string) agents.Plan {
	return func(a *agents.Agent, pending []agents.Pending) (agents.Step, error) {
		h := a.History
		h.Executing = 0
		h.Branch = strings.TrimSpace(h.Branch + " " + own)
		for _, p := range pending {
			h.Branch += " " + p.ID
		}
		return agents.Step{History: h, Claim: len(pending)}, nil
	}
}
