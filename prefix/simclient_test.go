package prefix

import (
	"slices"
	"strconv"
	"strings"
)

// dice draws a number below n.
type dice func(n int) int

// oneIn is true once in n throws.
func (d dice) oneIn(n int) bool { return d(n) == 0 }

// message is what one item means, apart from how it is written.
type message struct {
	tag       int // messages with equal tags mean the same, others do not
	role      string
	text      string
	reasoning string
	calls     []simCall
	toolID    string // of role tool
}

type simCall struct {
	id   string
	n    int // its number among all calls of a history
	ours bool
}

// emptyTag is the identity of every answer without text and calls.
const emptyTag = -1

func (m message) isEmptyAnswer() bool {
	return m.role == "assistant" && m.text == "" && len(m.calls) == 0
}

// style is how somebody writes messages. The zero style is the provider's.
type style struct {
	reversed   bool // key order
	parts      bool // content as one part
	spaced     bool
	empty      int // how no content is written
	noThoughts bool
	noVendor   bool // unknown members dropped
	redump     bool // arguments parsed and written again
	trim       bool
	extras     bool // bookkeeping added
}

func randomStyle(d dice) style {
	return style{
		reversed: d.oneIn(3), parts: d.oneIn(4), spaced: d.oneIn(4), empty: d(5), noThoughts: d.oneIn(2),
		noVendor: d.oneIn(2), redump: d.oneIn(2), trim: d.oneIn(4), extras: d.oneIn(4),
	}
}

func (s style) write(m message) string {
	var members []string
	add := func(key, value string) { members = append(members, `"`+key+`":`+value) }
	add("role", `"`+m.role+`"`)
	text, reasoning := m.text, m.reasoning
	if s.trim {
		text, reasoning = strings.TrimSpace(text), strings.TrimSpace(reasoning)
	}
	switch quoted := strconv.Quote(text); {
	case text == "" && m.role == "assistant":
		if form := []string{`""`, `null`, ``, `[]`, `[{"type":"text","text":" "}]`}[s.empty]; form != "" {
			add("content", form)
		}
	case s.parts:
		add("content", `[{"type":"text","text":`+quoted+`}]`)
	default:
		add("content", quoted)
	}
	if m.toolID != "" {
		add("tool_call_id", `"`+m.toolID+`"`)
		if s.extras {
			add("name", `"f"`)
		}
	}
	if m.role == "assistant" {
		if reasoning != "" && !s.noThoughts {
			add("reasoning_content", strconv.Quote(reasoning))
		}
		if !s.noVendor {
			add("vendor", `{"v":1,"w":[2]}`)
		}
		if s.extras {
			add("refusal", "null")
			add("annotations", "[]")
		}
		if len(m.calls) > 0 {
			add("tool_calls", s.writeCalls(m.calls))
		} else if s.extras {
			add("tool_calls", "[]")
		}
	}
	if s.reversed {
		slices.Reverse(members)
	}
	if s.spaced {
		return "{ " + strings.Join(members, ", ") + " }"
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (s style) writeCalls(calls []simCall) string {
	var b strings.Builder
	for i, c := range calls {
		n := strconv.Itoa(c.n)
		arguments := `{ \"n\" : ` + n + `.50, \"s\":\"é\"}`
		if s.redump {
			arguments = `{\"s\":\"\\u00e9\",\"n\":` + n + `.5}`
		}
		b.WriteString([]string{"[", ","}[min(i, 1)])
		if s.extras {
			b.WriteString(`{"index":` + strconv.Itoa(i) + `,"function":{"arguments":"` + arguments + `","name":"f"},"id":"` + c.id + `"}`)
		} else {
			b.WriteString(`{"id":"` + c.id + `","type":"function","function":{"name":"f","arguments":"` + arguments + `"}}`)
		}
	}
	b.WriteString("]")
	return b.String()
}

// validList reports whether every call has its result and every result its
// call, with nothing between.
func validList(list []message) bool {
	var open []string
	for _, m := range list {
		if m.role == "tool" {
			k := slices.Index(open, m.toolID)
			if k < 0 {
				return false
			}
			open = slices.Delete(open, k, k+1)
			continue
		}
		if len(open) > 0 {
			return false
		}
		for _, c := range m.calls {
			open = append(open, c.id)
		}
	}
	return len(open) == 0
}

// client is an agent's HTTP client: it knows its own list and nothing of ours.
type client struct {
	d      dice
	number *int // last number used
	list   []message
	style  style
	oneID  bool // all calls have one id
}

func (c *client) fresh() int {
	*c.number++
	return *c.number
}

func (c *client) say(role, what string) message {
	n := c.fresh()
	return message{tag: n, role: role, text: what + strconv.Itoa(n)}
}

// act is what the client does before it sends its list.
func (c *client) act() {
	if len(c.list) == 0 {
		c.list = append(c.list, c.say("user", "u"))
		return
	}
	k := c.d(len(c.list))
	switch c.d(16) {
	case 0: // the same again
	case 1, 2: // an edit, with or without what followed
		m := c.list[k]
		m.tag = c.fresh()
		m.text = "edited" + strconv.Itoa(m.tag)
		c.list = slices.Clone(c.list)
		c.list[k] = m
		if c.d.oneIn(2) {
			c.list = c.list[:k+1]
		}
	case 3: // a rewind
		c.list = slices.Clone(c.list[:k])
		if c.d.oneIn(2) {
			c.extend()
		}
	case 4: // compaction
		last := c.list[len(c.list)-1]
		c.list = []message{c.say("user", "summary")}
		if last.role == "user" && c.d.oneIn(2) {
			c.list = append(c.list, last)
		}
		c.extend()
	case 5: // another release writes everything anew
		drops := c.style.noVendor // it cannot bring back what it did not keep
		c.style = randomStyle(c.d)
		c.style.noVendor = drops
		c.extend()
	case 6:
		c.permute(k)
		c.extend()
	case 7: // a message deleted
		c.list = slices.Delete(slices.Clone(c.list), k, k+1)
		c.extend()
	default:
		c.extend()
	}
}

// extend answers the calls at the end of the list, or says something.
func (c *client) extend() {
	c.list = slices.Clone(c.list)
	end := len(c.list)
	for end > 0 && c.list[end-1].role == "tool" {
		end--
	}
	if end == 0 || len(c.list[end-1].calls) == len(c.list)-end || c.d.oneIn(16) {
		c.list = append(c.list, c.say("user", "u"))
		return
	}
	calls := c.list[end-1].calls
	for i := len(c.list) - end; i < len(calls); i++ {
		m := c.say("tool", "r")
		m.toolID = calls[i].id
		if !c.d.oneIn(16) { // else a result gets lost
			c.list = append(c.list, m)
		}
	}
	if c.d.oneIn(4) {
		c.permute(len(c.list) - 1)
	}
	if c.d.oneIn(8) {
		c.list = append(c.list, c.say("user", "u"))
	}
}

// permute turns the results around that stand at k, unless only their order
// says which is whose.
func (c *client) permute(k int) {
	start, end := k, k
	for start > 0 && c.list[start-1].role == "tool" {
		start--
	}
	for end < len(c.list) && c.list[end].role == "tool" {
		end++
	}
	ids := make(map[string]bool)
	for _, m := range c.list[start:end] {
		ids[m.toolID] = true
	}
	if len(ids) == end-start {
		c.list = slices.Clone(c.list)
		slices.Reverse(c.list[start:end])
	}
}
