package agents_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trunkline/agents"
)

// A toy history is the list of what stands in it, by name: entries by their ids, which
// hold a slash, and the client's items and answers by names that do not.

// request is what a toy client asks for.
type request struct {
	kind string // prompt, continue, wake, rewind
	name string // of the item that it brings; a prompt that is there already is a repeat
}

// plan is the toy of what the proxy does: it claims all that is pending, before a new
// prompt or behind everything else.
func (r request) plan(see func(agents.Pending)) agents.Plan {
	return func(a *agents.Agent, pending []agents.Pending) (agents.Step, error) {
		kept, own := strings.Fields(a.History.Branch), []string{r.name}
		var step agents.Step
		switch {
		case r.kind == "wake":
			step.Wake, own = true, nil
		case r.kind == "rewind":
			kept, step.Prompt = kept[:a.History.Base], true
		case slices.Contains(kept, r.name):
			own = nil
		case r.kind == "prompt":
			step.Prompt = true
		}
		for _, id := range a.Reserved {
			if !slices.Contains(kept, id) {
				step.Returned = append(step.Returned, id)
			}
		}
		step.Claim = len(pending)
		var taken []string
		for _, p := range pending {
			see(p)
			taken = append(taken, p.ID)
		}
		step.History = a.History
		if step.Prompt {
			step.History.Base = len(kept)
			kept = slices.Concat(kept, taken, own)
		} else {
			kept = slices.Concat(kept, own, taken)
		}
		step.History.Branch = strings.Join(kept, " ")
		step.History.Whole, step.History.Delivered = false, false
		return step, nil
	}
}

// answered is the history behind an answer.
func answered(h agents.History, name string) agents.History {
	h.Branch = strings.TrimSpace(h.Branch + " " + name)
	h.Whole = true
	return h
}

// without is the history without some entries.
func without(h agents.History, ids []string) agents.History {
	items := slices.DeleteFunc(strings.Fields(h.Branch), func(item string) bool { return slices.Contains(ids, item) })
	h.Branch = strings.Join(items, " ")
	return h
}

// render shows a pending entry: from:text, from!outcome:closing, or from?report.
func render(e agents.Entry, text string) string {
	switch {
	case e.Kind == agents.Notice && text == "":
		return fmt.Sprintf("%s!%s", e.From, e.Outcome)
	case e.Kind == agents.Notice:
		return fmt.Sprintf("%s!%s:%s", e.From, e.Outcome, text)
	case e.Kind == agents.Report:
		return fmt.Sprintf("%s?%q", e.From, text)
	case e.Via != "":
		return fmt.Sprintf("%s(%s):%s", e.From, e.Via, text)
	}
	return e.From + ":" + text
}

// names are the ids in a root's tree.
func names(ctx context.Context, store agents.Store, root agents.Key) (ids []string, err error) {
	members, err := store.Members(ctx, root)
	for _, m := range members {
		ids = append(ids, m.ID)
	}
	return ids, err
}

// apart is a store that several processes have open, whatever it is in truth.
type apart struct{ agents.Store }

func (apart) Exclusive() bool { return false }
