package proxy

import (
	"slices"
	"strings"

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
	var texts, ids []string
	for _, i := range insert {
		texts, ids = append(texts, prefix.ContentText(i.Item)), append(ids, i.ID)
	}
	text, id := strings.Join(texts, "\n\n"), strings.Join(ids, ",")
	if at < len(entries) {
		if with, ok := prefix.PrependText(entries[at].Item, text+"\n\n"); ok && isUser(entries[at]) {
			carry(&entries[at], with, id, text)
			return entries
		}
	}
	if at > 0 {
		if with, ok := prefix.AppendText(entries[at-1].Item, "\n\n"+text); ok && isUser(entries[at-1]) {
			carry(&entries[at-1], with, id, text)
			return entries
		}
	}
	one := insert[0]
	one.Item, one.ID = tools.Report(text), id
	return slices.Insert(entries, at, one)
}

// carry makes a client's item the bearer of insertions: the client goes on seeing its own.
// Their text is kept beside it, for when the item goes and they do not. One that bears some
// already, or is one, bears these as well.
func carry(entry *prefix.Entry, with []byte, id, text string) {
	if entry.ID != "" {
		id = entry.ID + "," + id
	}
	if entry.Inserted() {
		entry.Item, entry.ID = with, id
		return
	}
	if borne := noted(entry, "inserted"); borne != "" {
		text = borne + "\n\n" + text
	}
	entry.Seen = entry.Visible()
	entry.Item, entry.ID = with, id
	entry.Source = append(append([]byte(`{"inserted":`), prefix.Quote(text)...), '}')
}

// loose is the insertion without the client's item that bore it.
func loose(entry prefix.Entry) prefix.Entry {
	if entry.Inserted() {
		return entry
	}
	return prefix.Entry{
		Item: tools.Report(noted(&entry, "inserted")), Hidden: true, Origin: prefix.OriginMessage, ID: entry.ID,
	}
}

func isUser(entry prefix.Entry) bool { return prefix.ItemOf(entry.Item).Role == "user" }

// holds reports whether an entry is, or holds, the insertion with this id.
func holds(entry *prefix.Entry, id string) bool {
	return entry.ID == id || strings.Contains(entry.ID, ",") && slices.Contains(strings.Split(entry.ID, ","), id)
}
