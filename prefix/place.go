package prefix

import "slices"

// Place says where pending messages may be inserted among new entries behind a
// branch: an index of new, its length for the end, or -1 when not now.
//
// At the first step of a turn they stand directly before the prompt, which is
// the first user item behind everything that was answered, but never before a
// child's task. Later they stand at the very end. Calls that wait for results
// let nothing in.
func Place(branch Branch, new []Entry, firstStep bool) int {
	at := len(new)
	if firstStep {
		at = prompt(new)
	}
	b := openBatch(branch)
	for i := range new[:at] {
		if e := &new[i]; roleOf(e.Item) == "tool" {
			b.answer(e)
		} else {
			b = newBatch(e)
		}
	}
	if b.open > 0 {
		return -1
	}
	return at
}

// prompt is the index of the first user item behind the last assistant item,
// len(new) when there is none.
func prompt(new []Entry) int {
	answered := 0
	for i, e := range slices.Backward(new) {
		if roleOf(e.Item) == "assistant" {
			answered = i + 1
			break
		}
	}
	for i, e := range new[answered:] {
		if e.Origin == OriginTask {
			return answered + i + 1
		}
		if roleOf(e.Item) == "user" {
			return answered + i
		}
	}
	return len(new)
}
