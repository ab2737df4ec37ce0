package e2e

import (
	"fmt"
	"strings"

	"trunkline/proxy/sim"
)

// answer is the model of every agent: it looks at the request, then answers at random.
func (c *crowd) answer(r sim.Request) sim.Answer {
	select {
	case c.asked <- struct{}{}:
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.named(r.Conversation)
	if a == nil {
		c.errorf("a request of nobody: %s", r.Body)
		return sim.Answer{Text: "who?"}
	}
	c.look(a, parse(c.t, string(r.Body)))
	a.asked++
	answer := sim.Answer{Text: fmt.Sprintf("text %d of %s", a.asked, a.name), Piece: 1 + a.rng.IntN(8)}
	if c.lists && r.Items[len(r.Items)-1].Role == "user" {
		answer.Calls = []sim.Call{call("list_agents", `{"scope":"descendants"}`)}
	}
	if c.quiet || a.rng.IntN(2) == 0 {
		return answer
	}
	if a.rng.IntN(2) == 0 {
		answer.Text = ""
	}
	for range 1 + a.rng.IntN(3) {
		switch a.rng.IntN(4) {
		case 0:
			answer.Calls = append(answer.Calls, call("look", `{ "at":"é" }`))
		case 1:
			answer.Calls = append(answer.Calls, call("list_agents", `{}`))
		default:
			c.sent++
			answer.Calls = append(answer.Calls, tell(c.peer(a), fmt.Sprintf("<m%d>", c.sent)))
		}
	}
	return answer
}

// peer is whom an agent writes to: mostly one of those it may write to.
func (c *crowd) peer(a *agent) string {
	var may []string
	for _, other := range c.agents {
		if other.name == a.parent || other.parent == a.name {
			may = append(may, other.name)
		}
	}
	if len(may) == 0 || a.rng.IntN(8) == 0 {
		return c.agents[a.rng.IntN(len(c.agents))].name
	}
	return may[a.rng.IntN(len(may))]
}

// look holds a request against what went before. c.mu is held.
func (c *crowd) look(a *agent, got received) {
	switch {
	case c.late && a.asked > 0 && got.fault(a.last, len(got.items)) == "":
		return // overtaken, or the same again
	case a.asked > 0:
		if fault := a.last.fault(got, len(a.last.items)); fault != "" {
			c.errorf("request %d of %s does not begin with the one before: %s", a.asked, a.name, fault)
		}
	case a.parent != "":
		c.lookFork(a, got)
	}
	for _, item := range got.items {
		for _, text := range messages(item) {
			if n := strings.Count(strings.Join(got.items[a.inherited:], "\n"), text+`"`); n > 1 {
				c.errorf("%s reads %q %d times", a.name, text, n)
			}
		}
	}
	a.last = got
}

// lookFork holds a fork's first request against its parent's.
func (c *crowd) lookFork(a *agent, got received) {
	parent := c.named(a.parent).last
	n := 0
	for n < len(got.items) && n < len(parent.items) && got.items[n] == parent.items[n] {
		n++
	}
	// The parent's last answer may not have gone up again yet.
	if n < len(got.items) && strings.Contains(got.items[n], `"role":"assistant"`) {
		n++
	}
	a.inherited = n
	if fault := parent.fault(got, min(n, len(parent.items))); fault != "" {
		c.errorf("the fork %s does not begin as its parent: %s", a.name, fault)
	}
	own := got.items[n:]
	if len(own) == 0 || !strings.Contains(own[0], "turn 1 of "+a.name) || !strings.Contains(own[0], `\"`+a.parent+`\"`) {
		c.errorf("the fork %s begins with\n%s\nwant its task, with its parent's id", a.name, strings.Join(own, "\n"))
	}
	if end := got.items[n-1]; n > 1 && (!strings.Contains(end, `"role":"assistant"`) || strings.Contains(end, `"tool_calls"`)) {
		c.errorf("the fork %s is not cut at the end of a turn, but behind %s", a.name, end)
	}
}

// fault is how later does not begin with the head and the first n items of r; "" when it
// does.
func (r received) fault(later received, n int) string {
	if got, want := strings.Join(later.head, "\n"), strings.Join(r.head, "\n"); got != want {
		return fmt.Sprintf("the head is\n%s\nwant\n%s", got, want)
	}
	for i, item := range r.items[:n] {
		if at(later.items, i) != item {
			return fmt.Sprintf("item %d of %d is\n%s\nwant\n%s", i, n, at(later.items, i), item)
		}
	}
	return ""
}
