package proxy_test

import (
	"slices"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestCase08: a client that takes its own reminder out of a message once it is history has
// rewritten that message, and is told so; what it says now goes up.
func TestCase08(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		steps := make(chan proxy.StepInfo, 8)
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
		start := []string{prompt("start"), assistant("yes")}
		noted := `{"role":"user","content":[{"type":"text","text":"<note>n1</note>"},{"type":"text","text":"go"}]}`
		turns := [][]string{
			start[:1],
			append(slices.Clone(start), noted),
			append(slices.Clone(start), prompt("go"), assistant("yes"), prompt("more")),
			append(slices.Clone(start), prompt("go"), assistant("yes"), prompt("more"), assistant("yes"), prompt("and more")),
		}
		for i, want := range []string{"cold_start", "none", "history_rewritten", "none"} {
			sent := body("s", "", "", turns[i]...)
			a := e.post(sent, who...).ok(t)
			b := (<-steps).Break
			if a.Header.Get("X-Prefix-Break") != want || i == 2 && (b.Segment != "history" || b.Item != 2) {
				t.Errorf("turn %d: %+v, want %s", i+1, b, want)
			}
			if got := string(e.sent()[i].body); got != sent {
				t.Errorf("turn %d went up as %s", i+1, got)
			}
		}
	})
}

// TestCase08Insertion: what the proxy inserts stands where it stood, byte for byte, in every
// later request of the agent and of forks that cover it, though the client never returns it
// and flips its own content between a string and parts. When the client compacts past it, it
// goes with that history, and is counted.
func TestCase08Insertion(t *testing.T) {
	steps := make(chan proxy.StepInfo, 16)
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
	root, kid := []string{"X-Agent-Id", "root"}, []string{"X-Agent-Id", "kid", "X-Agent-Parent-Id", "root"}
	e.post(body("s", "", "", prompt("1")), root...).ok(t)
	e.post(body("", "", "", prompt("task")), kid...).ok(t)
	history := []string{prompt("1"), assistant("yes"), prompt("2")}
	e.post(body("s", "", "", history...), root...).ok(t)
	at := 2
	notice := e.sent()[2].items(t)[at]
	if !strings.Contains(notice, "Agent kid settled: completed.") {
		t.Fatalf("item %d is %s, want the notice", at, notice)
	}
	parts := func(text string) string { return `{"role":"user","content":[{"type":"text","text":"` + text + `"}]}` }
	for i, flip := range []func(string) string{prompt, parts, prompt} {
		history = append(history, assistant("yes"), prompt("next"))
		history[0], history[2] = flip("1"), flip("2")
		e.post(body("s", "", "", history...), root...).ok(t)
		sent := e.sent()
		before, now := sent[2+i].items(t), sent[3+i].items(t)
		if !slices.Equal(now[:len(before)], before) || now[at] != notice {
			t.Errorf("request %d\nhas    %s\nbehind %s", i+4, now, before)
		}
	}
	e.post(body("", "", "", prompt("task")), "X-Agent-Id", "late", "X-Agent-Parent-Id", "root", "X-Agent-Notify", "none").ok(t)
	if late := e.sent()[6].items(t); late[at] != notice {
		t.Errorf("a fork that covers the notice sends %s", late)
	}
	for len(steps) > 0 {
		if n := (<-steps).Repairs["insertion_dropped"]; n != 0 {
			t.Errorf("%d insertions are said to be dropped", n)
		}
	}
	e.post(body("s", "", "", prompt("a summary"), assistant("yes"), prompt("on")), root...).ok(t)
	if got := string(e.sent()[7].body); strings.Contains(got, "settled") {
		t.Errorf("behind the compacted history stands %s", got)
	}
	if n := (<-steps).Repairs["insertion_dropped"]; n != 1 {
		t.Errorf("%d dropped insertions are counted, want 1", n)
	}
}
