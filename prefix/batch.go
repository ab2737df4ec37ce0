package prefix

import "slices"

// batch is a set of calls and what has become of them.
type batch struct {
	calls []string // ids of the calls; "" once it has its result
	held  []Held   // results of our calls that are not in the branch yet
	open  int      // calls without a result, held ones included
}

// openBatch reads the last assistant item of a branch and the results behind
// it; the zero batch when anything else stands there.
func openBatch(branch Branch) batch {
	var results []*Entry // last first
	at := branch.Len() - 1
	for at >= 0 && roleOf(branch.At(at).Item) == "tool" {
		results = append(results, branch.At(at))
		at--
	}
	if at < 0 {
		return batch{}
	}
	b := newBatch(branch.At(at))
	for _, e := range slices.Backward(results) {
		b.answer(e)
	}
	return b
}

func newBatch(e *Entry) batch {
	ids := callIDs(e.Item)
	return batch{calls: ids, held: e.Held, open: len(ids)}
}

// answer takes a result that stands behind the calls.
func (b *batch) answer(e *Entry) {
	if e.Origin != OriginResult || len(b.held) == 0 {
		b.consume(toolCallID(e.Item))
		return
	}
	// Held results were put back in call order.
	if k := b.held[0].Ordinal; k < len(b.calls) {
		b.calls[k] = ""
		b.open--
	}
	b.held = b.held[1:]
}

// consume takes the first call with this id that waits for the client's result:
// a call arms its id, the next result consumes it, so repeated ids pair by
// position. It returns the call's ordinal, -1 when nothing waits for the result.
func (b *batch) consume(id string) int {
	for i, call := range b.calls {
		if id != "" && call == id && !b.holds(i) {
			b.calls[i] = ""
			b.open--
			return i
		}
	}
	return -1
}

// holds reports whether the call is ours and its result not put back yet.
func (b *batch) holds(ordinal int) bool {
	return slices.ContainsFunc(b.held, func(h Held) bool { return h.Ordinal == ordinal })
}

// Unpaired counts, in a client's history, the calls that have no result directly behind
// their message and the results that answer no call. A client that was interrupted, or that
// prunes its history, leaves some, and many providers refuse every request from then on.
func Unpaired(items []Item) (calls, results int) {
	var b batch
	for _, item := range items {
		switch {
		case item.Role != "tool":
			calls += b.open
			b = newBatch(&Entry{Item: item.Raw})
		case b.consume(item.ToolCallID) < 0:
			results++
		}
	}
	return calls + b.open, results
}

// callIDs returns the ids of an assistant item's calls in call order.
func callIDs(item []byte) []string {
	o, _ := membersOf(item)
	if o.text("role") != "assistant" {
		return nil
	}
	calls := o.objects("tool_calls")
	ids := make([]string, len(calls))
	for i, call := range calls {
		ids[i] = call.text("id")
	}
	return ids
}

func toolCallID(item []byte) string {
	o, _ := membersOf(item)
	return o.text("tool_call_id")
}

func roleOf(item []byte) string {
	o, _ := membersOf(item)
	return o.text("role")
}
