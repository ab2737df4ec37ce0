package proxy

import (
	"context"
	"slices"

	"trunkline/agents"
	"trunkline/prefix"
)

// boundary records what the branch has grown by, takes what is pending, and makes the next
// request ready.
func (e *exchange) boundary(ctx context.Context) error {
	if e.lease == nil {
		e.history, _ = e.standing()
		return nil
	}
	grown, unsaved := e.branch, e.unsaved
	return e.lease.Next(ctx, func(a *agents.Agent, pending []agents.Pending) (agents.Step, error) {
		e.branch, e.unsaved = grown, unsaved
		var insert []prefix.Entry
		for _, m := range pending {
			insert = append(insert, inserted(m))
		}
		e.unsaved = e.insertAt(slices.Clone(e.unsaved), len(e.unsaved), insert)
		h, put := e.standing()
		h.Sent, h.Executing = h.Len, 0
		if grown.Len() == h.Base && len(unsaved) == 0 {
			h.Base = h.Len // nothing is answered yet: the request holds this as well
		}
		e.history = h
		return agents.Step{History: h, Put: put, Claim: len(pending)}, nil
	})
}

// grow appends an entry to the branch in memory; standing saves it.
func (e *exchange) grow(entry prefix.Entry) {
	e.unsaved = append(e.unsaved, entry)
}

// standing is the history with what has grown, and the blob that holds it.
func (e *exchange) standing() (agents.History, []agents.Blob) {
	h := e.history
	var put []agents.Blob
	branch, segment := e.branch.Append(e.unsaved)
	if segment != nil {
		put = append(put, agents.Blob{ID: segmentBlob(segment.Node()), Data: segment.Encode()})
	}
	e.branch, e.unsaved = branch, nil
	h.Branch, h.Len = formatRef(branch.Ref()), branch.Len()
	return h, put
}

// append records one more entry; executing marks it as calls that have no results yet.
func (e *exchange) append(ctx context.Context, entry prefix.Entry, executing bool) error {
	e.grow(entry)
	h, put := e.standing()
	if executing && e.lease != nil {
		h.Executing = e.lease.Agent.Step
	}
	e.history = h
	if e.lease == nil {
		return nil
	}
	return e.lease.Record(ctx, h, put, nil)
}

// answered records the entry that ends the client's answer. over is false when the turn
// goes on instead; then nothing has changed.
func (e *exchange) answered(ctx context.Context, last prefix.Entry, turn agents.Turn) (over bool, err error) {
	before, history := e.branch, e.history
	if len(last.Item) > 0 && !emptyMessage(last.Item) {
		e.grow(last)
	}
	h, put := e.standing()
	h.Whole, h.Executing = true, 0
	if e.lease == nil {
		return true, nil
	}
	turn.History, turn.Put = h, put
	over, err = e.lease.Answered(ctx, turn)
	if err != nil || !over {
		e.branch, e.history = before, history
		return over, err
	}
	e.history = h
	return true, nil
}
