package proxy

import (
	"slices"

	"trunkline/prefix"
	"trunkline/tools"
)

// insertAt puts insertions among new entries. Where a provider's template refuses two user
// messages in a row, they become part of the user item beside them, else one item: their
// ids then stand together in its ID.
func (e *exchange) insertAt(entries []prefix.Entry, at int, insert []prefix.Entry) []prefix.Entry {
	if !e.Provider.AlternateRoles || len(insert) == 0 {
		return slices.Insert(entries, at, insert...)
	}
	var list []insertion
	for _, i := range insert {
		list = append(list, borne(&i)...)
	}
	if at < len(entries) && isUser(entries[at]) && bear(&entries[at], list, true) {
		return entries
	}
	if at > 0 && isUser(entries[at-1]) && bear(&entries[at-1], list, false) {
		return entries
	}
	one := insert[0]
	if len(list) > 1 {
		one = together(one.Origin, list)
	}
	return slices.Insert(entries, at, one)
}

// loose are the insertions of an entry, without the client's item that bore them.
func loose(entry prefix.Entry) []prefix.Entry {
	var list []prefix.Entry
	for _, i := range bearingOf(&entry).insertions() {
		list = append(list, prefix.Entry{Item: tools.Report(i.Text), Hidden: true, Origin: prefix.OriginMessage, ID: i.ID})
	}
	if len(list) == 0 {
		return []prefix.Entry{entry}
	}
	return list
}

// without is what is left of an entry when these insertions go; ok is false when that is
// nothing.
func without(entry prefix.Entry, gone []string) (left prefix.Entry, ok bool) {
	stay := func(list []insertion) []insertion {
		return slices.DeleteFunc(list, func(i insertion) bool { return slices.Contains(gone, i.ID) })
	}
	if entry.Hidden {
		list := stay(borne(&entry))
		return together(entry.Origin, list), len(list) > 0
	}
	b := bearingOf(&entry)
	b.release(&entry)
	for _, a := range b.Added {
		if list := stay(a.Inserted); len(list) > 0 {
			bear(&entry, list, a.Front) // as it could before
		}
	}
	return entry, true
}

func isUser(entry prefix.Entry) bool { return prefix.ItemOf(entry.Item).Role == "user" }
