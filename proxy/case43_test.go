package proxy_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestCase43: a client's calls without results, and results without calls, go up as they are
// and break nothing more. What the proxy makes of a history never has any: a fork leaves an
// unfinished turn out.
func TestCase43(t *testing.T) {
	two := calling("a1", "pick", "{}", "a2", "pick", "{}")
	for name, history := range map[string][]string{
		"one result, then a prompt": {prompt("1"), two, result("a1", "r"), prompt("go on")},
		"no result":                 {prompt("1"), two, prompt("go on")},
		"a result without its call": {prompt("1"), result("a0", "r"), prompt("go on")},
		"a result of another call":  {prompt("1"), two, result("a1", "r"), result("b", "r"), prompt("go on")},
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
				sent := body("s", tool("pick"), "", history...)
				e.post(sent, who...).ok(t)
				next := body("s", tool("pick"), "", append(slices.Clone(history), assistant("yes"), prompt("more"))...)
				a := e.post(next, who...).ok(t)
				if got := e.sent(); string(got[0].body) != sent || string(got[1].body) != next {
					t.Errorf("went up as\n%s\nand\n%s", got[0].body, got[1].body)
				}
				if cause := a.Header.Get("X-Prefix-Break"); cause != "none" {
					t.Errorf("going on breaks by %s", cause)
				}
			})
		})
	}
}

// TestCase43Refused: when a provider refuses such a history, the log says what may be why, and
// how much of it there is; not when it refuses another one.
func TestCase43Refused(t *testing.T) {
	two := calling("f", "pick", "{}", "f", "pick", "{}") // equal ids pair by their places
	for _, c := range []struct {
		history        []string
		calls, results int
	}{
		{[]string{prompt("1"), two, result("f", "r"), prompt("go on")}, 1, 0},
		{[]string{prompt("1"), two, result("f", "r"), result("f", "r"), prompt("go on")}, 0, 0},
		{[]string{prompt("1"), two, result("f", "r"), result("f", "r"), result("f", "r")}, 0, 1},
		{[]string{prompt("1"), result("f", "r"), two}, 2, 1},
		{[]string{prompt("1"), two, prompt("go on"), result("f", "late"), result("f", "late")}, 2, 2},
	} {
		everyone(t, func(t *testing.T, who []string) {
			var log bytes.Buffer
			e := newEdge(t, reply(400, "application/json", `{"error":{"message":"no"}}`), logging(&log))
			if a := e.post(body("s", "", "", c.history...), who...); a.StatusCode != 400 || a.body != `{"error":{"message":"no"}}` {
				t.Errorf("status %d, %s", a.StatusCode, a.body)
			}
			<-e.ended
			want := fmt.Sprintf("calls_without_result=%d results_without_call=%d", c.calls, c.results)
			if got := log.String(); strings.Contains(got, want) != (c.calls+c.results > 0) || strings.Contains(got, "go on") {
				t.Errorf("of %s the log says %q, want %s", c.history, got, want)
			}
		})
	}
}

// TestCase43Fork: a child that is forked while a call of its parent has no result begins
// with the last completed turn, however far the open one has come.
func TestCase43Fork(t *testing.T) {
	picks := calling("a1", "pick", "{}", "a2", "pick", "{}")
	ask := func(items ...string) string { return body("s", tool("pick"), "", items...) }
	open := []string{prompt("1"), assistant("yes"), prompt("2"), picks}
	for name, resent := range map[string][]string{
		"its task alone":           {prompt("task")},
		"the open turn, finished":  append(slices.Clone(open), result("a1", "r"), result("a2", "r"), prompt("task")),
		"a cut of what that has":   {prompt("1"), assistant("yes"), prompt("task")},
		"the open turn, told anew": append(slices.Clone(open[:3]), assistant("instead"), prompt("task")),
	} {
		t.Run(name, func(t *testing.T) {
			yes := reply(200, "application/json", saidJSON("yes"))
			called := reply(200, "application/json", answers(picks, "tool_calls", ""))
			e := newEdge(t, script(yes, called, yes))
			root := []string{"X-Agent-Id", "root"}
			e.post(ask(open[:1]...), root...).ok(t)
			e.post(ask(open[:3]...), root...).ok(t)
			e.post(body("", "", "", resent...), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
			items := e.sent()[2].items(t)
			if !slices.Equal(items[:2], []string{prompt("1"), assistant("yes")}) {
				t.Errorf("the child begins with %s", items)
			}
			calls, results := 0, 0
			for _, item := range items {
				if item == picks {
					calls += 2
				}
				if strings.Contains(item, `"role":"tool"`) {
					results++
				}
			}
			if calls != results {
				t.Errorf("%d calls and %d results in %s", calls, results, items)
			}
		})
	}
}
