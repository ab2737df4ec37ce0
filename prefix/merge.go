package prefix

import "slices"

// Merge builds the entries for a client's new items behind a branch. Behind a
// mixed answer our results, held until then, go back between the client's own
// in call order; everything else goes up as sent. A client that returns too few
// or too many results, or none, is its provider's to correct: its items stay as
// they are, but each of our calls gets its one result in any case.
func Merge(branch Branch, new []Item) []Entry {
	tail := openBatch(branch)
	entries := make([]Entry, 0, len(new)+len(tail.held))
	if len(tail.held) > 0 {
		results := 0
		for results < len(new) && new[results].Role == "tool" {
			results++
		}
		entries = tail.merge(entries, new[:results])
		new = new[results:]
	}
	for _, item := range new {
		entries = append(entries, Entry{Item: item.Raw})
	}
	return entries
}

// merge appends the client's results and ours in call order. A result that
// nothing waits for stays behind the one that it came after.
func (b *batch) merge(entries []Entry, results []Item) []Entry {
	type placed struct {
		ordinal int
		Entry
	}
	var all []placed
	ordinal := -1
	for _, item := range results {
		if k := b.consume(item.ToolCallID); k >= 0 {
			ordinal = k
		}
		all = append(all, placed{ordinal, Entry{Item: item.Raw}})
	}
	for _, h := range b.held {
		all = append(all, placed{h.Ordinal, Entry{Item: h.Item, Hidden: true, Origin: OriginResult}})
	}
	slices.SortStableFunc(all, func(x, y placed) int { return x.ordinal - y.ordinal })
	for _, p := range all {
		entries = append(entries, p.Entry)
	}
	return entries
}
