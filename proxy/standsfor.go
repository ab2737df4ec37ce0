package proxy

import (
	"trunkline/prefix"
	"trunkline/tools"
)

// standsFor is the entry that ends the client's answer: the client sees all its steps as one.
func (e *exchange) standsFor(message, seen []byte) prefix.Entry {
	entry := prefix.Entry{Item: message, Origin: prefix.OriginAnswer, Group: e.branch.Len() - e.history.Base + 1}
	if string(seen) != string(message) {
		entry.Seen = seen
	}
	return entry
}

// seen is what the client sees of the steps. In one piece it gets the last one's message with
// the texts of the others, and nothing else that those held.
func (e *exchange) seen() []byte {
	if e.parsed != nil && len(e.messages) > 1 {
		if body, err := tools.Join(e.messages[:e.earlier], e.bodies, e.own); err == nil {
			var whole tools.Answer
			whole.Parse(body)
			return whole.Message()
		}
	}
	return tools.Seen(e.messages, e.own)
}

// finishSource keeps, beside an answer, a finish reason that its message does not imply, for
// the case that it has to be given again.
func finishSource(finish string) []byte {
	if finish == "" || finish == "stop" {
		return nil
	}
	return append(append([]byte(`{"finish":`), prefix.Quote(finish)...), '}')
}

// finishOf is the finish reason that finishSource kept, "" for the usual one.
func finishOf(entry *prefix.Entry) string { return noted(entry, "finish") }

// noted is a text among what is kept beside an entry, "" when it is not there.
func noted(entry *prefix.Entry, name string) string {
	members, err := prefix.Members(entry.Source)
	if err != nil {
		return ""
	}
	for _, m := range members {
		if m.Name == name {
			text, _ := prefix.Text(m.Value.Of(entry.Source))
			return text
		}
	}
	return ""
}

func emptyMessage(item []byte) bool {
	return !prefix.ItemOf(item).HasCalls && prefix.ContentText(item) == "" && !hasOther(item)
}

// withText gives an assistant item without calls whose content is null or not there an empty
// text: beside reasoning alone providers answer so, and refuse it when it comes back (case 41).
func withText(item []byte) []byte {
	members, err := prefix.Members(item)
	if err != nil || prefix.ItemOf(item).HasCalls {
		return item
	}
	for _, m := range members {
		if m.Name == "content" && string(m.Value.Of(item)) != "null" {
			return item
		}
	}
	if with, ok := prefix.AppendText(item, ""); ok {
		return with
	}
	return item
}

// hasOther reports whether an assistant item says anything beside role, content and calls.
func hasOther(item []byte) bool {
	members, err := prefix.Members(item)
	if err != nil {
		return false
	}
	for _, m := range members {
		switch m.Name {
		case "role", "tool_calls":
		case "content":
			if v := string(m.Value.Of(item)); v != "null" && v != `""` {
				return true // parts of another kind
			}
		default:
			return true
		}
	}
	return false
}
