package proxy

import (
	"slices"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/tools"
)

// compose builds the entries behind the cut: the client's new items, the child's task with
// its guidance, insertions that move with the tail, and what the step boundary takes.
// The cut moves back by one where what moves has to stand in the item that ends the branch.
func (p *alignment) compose(cut prefix.Branch, pending []agents.Pending) (_ prefix.Branch, entries []prefix.Entry, claimed int, returned []string) {
	entries = prefix.Merge(cut, p.New)
	p.guide(cut, entries)
	if p.kind == planResume {
		p.Carry = nil // they stand among the steps that are kept
	}
	var carried []prefix.Entry
	for _, c := range p.Carry {
		carried = append(carried, loose(c)...)
	}
	insert := slices.Clone(carried)
	for _, id := range p.agent.Reserved {
		if p.lost(cut, id) {
			returned = append(returned, id)
		}
	}
	if p.auto() {
		for _, m := range pending {
			insert = append(insert, inserted(m))
		}
		claimed = len(pending)
	}
	if len(insert) == 0 {
		return cut, entries, claimed, returned
	}
	at := prefix.Place(cut, entries, p.prompts())
	if at < 0 {
		// An open batch: nothing may come between its calls and results. What moves
		// goes before it, what is pending waits.
		at, insert, claimed = 0, carried, 0
	}
	if p.Provider.AlternateRoles && len(entries) == 0 && cut.Len() > 0 && isUser(*cut.At(cut.Len() - 1)) {
		insert, claimed = carried, 0 // no answer stands between: it waits for one
		if n := cut.Len() - 1; len(carried) > 0 && n >= p.history.Inherited {
			cut, entries, at = cut.Cut(n), []prefix.Entry{*cut.At(n)}, 1
		}
	}
	return cut, p.insertAt(entries, at, insert), claimed, returned
}

// lost reports whether a reserved entry stands neither in the kept branch nor moves along.
func (p *alignment) lost(cut prefix.Branch, id string) bool {
	for _, c := range p.Carry {
		if holds(&c, id) {
			return false
		}
	}
	for _, entry := range cut.All(max(0, cut.Len()-maxReservedSpan)) {
		if holds(entry, id) {
			return false
		}
	}
	return true
}

// maxReservedSpan is how far from the end a reserved entry can stand: one boundary's
// entries and one request's new items.
const maxReservedSpan = 4096

// auto: whether what is pending may be read by this request.
func (p *alignment) auto() bool {
	return p.kind == planExtend || p.kind == planWake || p.kind == planResume
}

// inserted renders a pending entry as the item that the model reads.
func inserted(m agents.Pending) prefix.Entry {
	entry := prefix.Entry{Hidden: true, ID: m.ID}
	switch m.Kind {
	case agents.Notice:
		entry.Origin = prefix.OriginNotice
		entry.Item = tools.Notice(m.From, string(m.Outcome), m.Text)
		entry.Source = tools.NoticeSource(m.From, string(m.Outcome))
	case agents.Report:
		entry.Origin = prefix.OriginNotice
		entry.Item = tools.Report(m.Text)
		entry.Source = tools.ReportSource(m.From)
	default:
		entry.Origin = prefix.OriginMessage
		entry.Item = tools.Message(m.From, m.Text)
		entry.Source = tools.MessageSource(m.From)
	}
	return entry
}
