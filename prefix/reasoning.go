package prefix

// WithoutReasoning returns an assistant item without its reasoning, for a
// provider or client that does not send it back; the item itself when it has none.
func WithoutReasoning(item []byte) []byte {
	members, err := Members(item)
	if err != nil {
		return item
	}
	return rewriteReasoning(item, members, nil)
}

// settle returns the entry as it must be sent when its client echoed it as
// seen: the provider's bytes with the reasoning that came back. A joined
// message cannot be taken apart again: of an answer in several steps only the
// loss of all reasoning is followed, in the step not sent yet. It reports false
// when there is nothing to follow.
func (e *Entry) settle(seen []byte) (Entry, bool) {
	shown, okShown := membersOf(e.Visible())
	back, okBack := membersOf(seen)
	members, err := Members(e.Item)
	if !okShown || !okBack || err != nil || sameReasoning(shown, back) {
		return Entry{}, false
	}
	if e.Group > 1 {
		for _, m := range back {
			if isReasoning(m.name) && !isNull(m.value) {
				return Entry{}, false
			}
		}
	}
	settled := *e
	settled.Item = rewriteReasoning(e.Item, members, back)
	if string(settled.Item) == string(e.Item) {
		return Entry{}, false
	}
	settled.Seen = e.Visible() // later echoes still mean what the client was shown
	return settled, true
}

func sameReasoning(a, b object) bool {
	within := func(a, b object) bool {
		for _, m := range a {
			if isReasoning(m.name) && !isNull(m.value) && !SameJSON(m.value, b.get(m.name)) {
				return false
			}
		}
		return true
	}
	return within(a, b) && within(b, a)
}

// rewriteReasoning replaces the reasoning members of item by those of back:
// each in its place, new ones at the end. Without a change it returns item.
func rewriteReasoning(item []byte, members []Member, back object) []byte {
	out := make([]byte, 0, len(item))
	had := make(map[string]bool) // reasoning member → item has it
	changed := false
	add := func(key, value []byte) {
		if len(out) == 0 {
			out = append(out, '{')
		} else {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	for _, m := range members {
		value := m.Value.Of(item)
		if isReasoning(m.Name) {
			had[m.Name] = true
			value = back.get(m.Name)
			changed = changed || string(value) != string(m.Value.Of(item))
		}
		if value != nil {
			add(m.Key.Of(item), value)
		}
	}
	for _, m := range back {
		if isReasoning(m.name) && !isNull(m.value) && !had[m.name] {
			had[m.name], changed = true, true
			add(Quote(m.name), back.get(m.name))
		}
	}
	if !changed {
		return item
	}
	if len(out) == 0 {
		out = append(out, '{')
	}
	return append(out, '}')
}
