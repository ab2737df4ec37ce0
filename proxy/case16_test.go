package proxy_test

import (
	"slices"
	"testing"

	"trunkline/proxy"
)

// TestCase16: a summary without the tools, and tool outputs cleared in place, go up as sent;
// what each costs is named, and later turns are judged by the new prefix.
func TestCase16(t *testing.T) {
	pick := calling("a1", "pick", "{}")
	history := []string{prompt("1"), pick, result("a1", "long output"), assistant("yes"), prompt("2")}
	pruned := slices.Clone(history)
	pruned[2] = result("a1", "[old output cleared]")
	summarise := prompt("Summarise.")
	grown := func(items []string, more ...string) []string { return append(slices.Clone(items), more...) }
	for name, turns := range map[string][]struct {
		sent, want, name string
		item             int
	}{
		"compaction": {
			{body("s", tool("pick"), "", history...), "cold_start", "", 0},
			{body("s", "", "", grown(history, assistant("yes"), summarise)...), "tools_changed", "-pick", 0},
			{body("s", tool("pick"), "", prompt("a summary"), assistant("yes"), prompt("3")), "history_rewritten", "", 0},
			{body("s", tool("pick"), "", prompt("a summary"), assistant("yes"), prompt("3"), assistant("yes"), prompt("4")), "none", "", 0},
		},
		"pruning": {
			{body("s", tool("pick"), "", history...), "cold_start", "", 0},
			{body("s", tool("pick"), "", grown(pruned, assistant("yes"), prompt("3"))...), "history_rewritten", "", 2},
			{body("s", tool("pick"), "", grown(pruned, assistant("yes"), prompt("3"), assistant("yes"), prompt("4"))...), "none", "", 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				steps := make(chan proxy.StepInfo, len(turns))
				e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
				for i, turn := range turns {
					headers := append(slices.Clone(who), "X-Session-Id", "one") // an anonymous client names its conversation
					a := e.post(turn.sent, headers...).ok(t)
					b := (<-steps).Break
					if cause := a.Header.Get("X-Prefix-Break"); cause != turn.want || b.Item != turn.item || b.Name != turn.name {
						t.Errorf("turn %d: %s, %+v; want %s %s at %d", i+1, cause, b, turn.want, turn.name, turn.item)
					}
					if got := string(e.sent()[i].body); got != turn.sent {
						t.Errorf("turn %d went up as\n%s\nwant\n%s", i+1, got, turn.sent)
					}
				}
			})
		})
	}
}

// TestCase16Aside: the summary stands beside the agent's branch, so that what goes on with
// the old history afterwards is still warm.
func TestCase16Aside(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), withTools)
	root := []string{"X-Agent-Id", "root"}
	e.post(body("s", tool("pick"), "", prompt("1")), root...).ok(t)
	e.post(body("s", tool("pick"), "", prompt("1"), assistant("yes"), prompt("2")), root...).ok(t)
	history := []string{prompt("1"), assistant("yes"), prompt("2"), assistant("yes")}
	e.post(body("s", "", "", append(slices.Clone(history), prompt("Summarise."))...), root...).ok(t)
	a := e.post(body("s", tool("pick"), "", append(slices.Clone(history), prompt("3"))...), root...).ok(t)
	if cause := a.Header.Get("X-Prefix-Break"); cause != "none" {
		t.Errorf("going on breaks by %s", cause)
	}
	sent := e.sent()
	if !sent[3].head(t).Equal(sent[1].head(t)) || !slices.Equal(sent[3].items(t), append(slices.Clone(history), prompt("3"))) {
		t.Errorf("going on went up as %s", sent[3].body)
	}
}
