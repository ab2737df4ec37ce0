package proxy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"trunkline/prefix"
	"trunkline/tools"
)

// bearing is what is kept beside an item that has several insertions in it, or is the
// client's own: enough to take each out again, byte for byte, when it or the item goes.
type bearing struct {
	Added []addition `json:"added"` // one after another, each to what the one before left
}

// addition is what an item was given at a time.
type addition struct {
	Inserted []insertion `json:"inserted"`
	// Of a client's item: which bytes of it the insertions are, and at which end of its
	// content.
	At    int  `json:"at,omitempty"`
	Bytes int  `json:"bytes,omitempty"`
	Front bool `json:"front,omitempty"`
}

// insertion is one message or notice among several in an item.
type insertion struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// bearingOf returns what an entry bears: nothing, where it is at most an insertion itself.
func bearingOf(entry *prefix.Entry) bearing {
	var b bearing
	if json.Unmarshal(entry.Source, &b) != nil {
		return bearing{}
	}
	return b
}

// noteOn keeps the bearing beside the entry that bears.
func (b bearing) noteOn(entry *prefix.Entry) {
	source, err := json.Marshal(b)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	var ids []string
	for _, i := range b.insertions() {
		ids = append(ids, i.ID)
	}
	entry.ID, entry.Source = strings.Join(ids, ","), source
}

func (b bearing) insertions() []insertion {
	var list []insertion
	for _, a := range b.Added {
		list = append(list, a.Inserted...)
	}
	return list
}

// borne are the insertions that an entry bears, or is.
func borne(entry *prefix.Entry) []insertion {
	list := bearingOf(entry).insertions()
	if len(list) == 0 && entry.Inserted() {
		return []insertion{{entry.ID, prefix.ContentText(entry.Item)}}
	}
	return list
}

// bear makes a user item the bearer of more insertions: one of ours, or a client's, if its
// content can, of which the client goes on seeing its own.
func bear(entry *prefix.Entry, list []insertion, front bool) bool {
	if entry.Inserted() {
		*entry = together(entry.Origin, slices.Concat(borne(entry), list))
		return true
	}
	add, text := prefix.AppendText, "\n\n"+textOf(list)
	if front {
		add, text = prefix.PrependText, textOf(list)+"\n\n"
	}
	item := entry.Item
	with, ok := add(item, text)
	if !ok {
		return false
	}
	a := addition{Inserted: list, Bytes: len(with) - len(item), Front: front}
	for a.At < len(item) && item[a.At] == with[a.At] {
		a.At++
	}
	if a.Bytes < 0 || !bytes.Equal(with[a.At+a.Bytes:], item[a.At:]) {
		return false // content that is null has no place for text, only gives it up
	}
	entry.Seen, entry.Item = entry.Visible(), with
	b := bearingOf(entry)
	b.Added = append(b.Added, a)
	b.noteOn(entry)
	return true
}

// release takes all insertions out of the client's item again.
func (b bearing) release(entry *prefix.Entry) {
	for _, a := range slices.Backward(b.Added) {
		entry.Item = slices.Concat(entry.Item[:a.At], entry.Item[a.At+a.Bytes:])
	}
	if bytes.Equal(entry.Item, entry.Seen) {
		entry.Seen = nil
	}
	entry.ID, entry.Source = "", nil
}

// together is one item of several insertions.
func together(origin prefix.Origin, list []insertion) prefix.Entry {
	entry := prefix.Entry{Item: tools.Report(textOf(list)), Hidden: true, Origin: origin}
	bearing{[]addition{{Inserted: list}}}.noteOn(&entry)
	return entry
}

func textOf(list []insertion) string {
	var texts []string
	for _, i := range list {
		texts = append(texts, i.Text)
	}
	return strings.Join(texts, "\n\n")
}

// holds reports whether an entry is, or holds, the insertion with this id.
func holds(entry *prefix.Entry, id string) bool {
	return entry.ID == id || strings.Contains(entry.ID, ",") && slices.Contains(strings.Split(entry.ID, ","), id)
}
