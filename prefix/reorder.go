package prefix

// matchBatch matches the results that come next when the client returns those
// of one batch in another order than they were sent in. Results pair by the
// call that they answer and, where ids repeat, by position: the second result
// for an id is the second one's. It accepts the longest run that stands for
// exactly the next entries, and reports whether there is one.
func (w *walk) matchBatch() bool {
	var sent []string // the calls that the next entries answer
	for _, s := range w.shown[w.i:] {
		o, ok := membersOf(s.Visible())
		if !ok || o.text("role") != "tool" {
			break
		}
		sent = append(sent, o.text("tool_call_id"))
	}
	taken := make([]bool, len(sent))
	matched, furthest, reserialised, repairs := 0, -1, 0, 0
	for n, item := range w.seen[w.j:] {
		at := 0
		for at < len(sent) && (taken[at] || sent[at] != item.ToolCallID) {
			at++
		}
		if item.Role != "tool" || at == len(sent) {
			break
		}
		form := w.shown[w.i+at].Visible()
		if string(form) != string(item.Raw) {
			if !w.opt.Echoes.same(form, item.Raw) {
				break
			}
			reserialised++
		}
		taken[at] = true
		if furthest = max(furthest, at); furthest == n {
			matched, repairs = n+1, reserialised
		}
	}
	if matched == 0 {
		return false
	}
	w.repaired(RepairResultsReordered, matched-repairs)
	w.repaired(RepairItemReserialised, repairs)
	w.last = w.shown[w.i+matched-1].at + 1
	w.i += matched
	w.j += matched
	return true
}
