package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// message text as it stands in a user item: who sent it, and what.
var (
	messageText = regexp.MustCompile(`Agent (agent-\d+) sent a message:\\n(<m\d+>)`)
	noticeText  = regexp.MustCompile(`Agent (agent-\d+) settled: (\w+)\.\\n(text \d+ of agent-\d+)`)
)

// messages returns the messages of other agents in an item, as they stand there.
func messages(item string) []string { return messageText.FindAllString(item, -1) }

// letter is one accepted message: from, to, text.
type letter struct{ from, to, text string }

// check holds what everybody has read in the end against what everybody has said. Nobody
// runs any more.
func (c *crowd) check() {
	c.t.Helper()
	wrote, read := map[string][]string{}, map[string][]string{} // from → to → texts, in order
	for _, a := range c.agents {
		for _, l := range a.wrote() {
			wrote[l.from+" → "+l.to] = append(wrote[l.from+" → "+l.to], l.text)
		}
		own := strings.Join(a.last.items[a.inherited:], "\n")
		for _, m := range messageText.FindAllStringSubmatch(own, -1) {
			read[m[1]+" → "+a.name] = append(read[m[1]+" → "+a.name], m[2])
		}
		c.checkPrompts(a, own)
		c.checkNotices(a)
	}
	pairs := maps.Clone(wrote)
	maps.Copy(pairs, read)
	for pair := range pairs {
		if !slices.Equal(wrote[pair], read[pair]) {
			c.errorf("%s: accepted\n%s\nread\n%s", pair, wrote[pair], read[pair])
		}
	}
	c.checkList()
	asked, accepted := 0, 0
	for _, a := range c.agents {
		asked += a.asked
		accepted += len(a.wrote())
	}
	c.t.Logf("%d agents made %d requests and sent %d messages of %d that they tried", len(c.agents), asked, accepted, c.sent)
	if len(wrote) == 0 || len(c.agents) < 2 {
		c.errorf("%d agents wrote along %d edges: nothing was tried", len(c.agents), len(wrote))
	}
}

// wrote returns what an agent sent, according to what its model reads.
func (a *agent) wrote() (letters []letter) {
	targets := map[string]letter{} // call id → what it sends
	for _, item := range a.last.items[a.inherited:] {
		var m struct {
			spoken
			ToolCallID string `json:"tool_call_id"`
		}
		if json.Unmarshal([]byte(item), &m) != nil {
			continue // content in parts: a client's
		}
		for _, call := range m.Calls {
			var args struct {
				To   string `json:"agent_id"`
				Text string `json:"message"`
			}
			if call.Function.Name == "send_message" && json.Unmarshal([]byte(call.Function.Arguments), &args) == nil {
				targets[call.ID] = letter{a.name, args.To, args.Text}
			}
		}
		if l, ok := targets[m.ToolCallID]; ok && strings.HasPrefix(m.Content, "message delivered to agent "+l.to) {
			letters = append(letters, l)
		}
	}
	return letters
}

// checkPrompts holds that what its client said stands in an agent's prompt, once and in order.
func (c *crowd) checkPrompts(a *agent, own string) {
	c.t.Helper()
	from := 0
	for i := range a.closings {
		prompt := fmt.Sprintf("turn %d of %s", i+1, a.name)
		at := strings.Index(own[from:], prompt)
		if at < 0 || strings.Count(own, prompt+`"`)+strings.Count(own, prompt+`\n`) != 1 {
			c.errorf("%q does not stand once, and in order, in\n%s", prompt, own)
			return
		}
		from += at
	}
}

// checkNotices holds that a parent has read of each turn of a child that has no children.
func (c *crowd) checkNotices(a *agent) {
	c.t.Helper()
	if a.parent == "" {
		return
	}
	parent := c.named(a.parent)
	var told []string
	own := strings.Join(parent.last.items[parent.inherited:], "\n")
	for _, m := range noticeText.FindAllStringSubmatch(own, -1) {
		if m[1] != a.name {
			continue
		}
		if m[2] != "completed" {
			c.errorf("%s reads that %s is %s", parent.name, a.name, m[2])
		}
		told = append(told, m[3])
	}
	told = c.less(told, ends(a.closings))
	if a.children == 0 && !slices.Equal(told, ends(a.closings)) {
		c.errorf("%s is told of these ends of %s:\n%q\nthere were\n%q", parent.name, a.name, told, ends(a.closings))
	}
	if twice := len(told) - len(slices.Compact(slices.Sorted(slices.Values(told)))); twice > 0 {
		c.errorf("%s is told twice of %d ends of %s: %q", parent.name, twice, a.name, told)
	}
}

// less returns what was told without the ends that a client threw away: one that loses its
// patience in the moment in which its answer arrives asks for another one.
func (c *crowd) less(told, kept []string) []string {
	if !c.late {
		return told
	}
	return slices.DeleteFunc(slices.Clone(told), func(text string) bool { return !slices.Contains(kept, text) })
}

// ends cuts each answer to the text of its last step: an answer of several steps shows
// their texts joined, and its notice tells the last.
func ends(closings []string) []string {
	var out []string
	for _, text := range closings {
		out = append(out, text[max(0, strings.LastIndex(text, "text ")):])
	}
	return out
}

// checkList holds that the root's model, asking last of all, sees everybody, and nobody running.
func (c *crowd) checkList() {
	c.t.Helper()
	items := c.agents[0].last.items
	list := items[len(items)-1]
	for _, a := range c.agents[1:] {
		if !strings.Contains(list, a.name+" [") || strings.Contains(list, a.name+" [running]") {
			c.errorf("%s is not listed as at rest: %s", a.name, list)
		}
	}
}
