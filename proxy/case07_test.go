package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestCase07: a clock in the system prompt goes up as it is, and is reported as a changed
// system prompt with its place and length; the same minute breaks nothing.
func TestCase07(t *testing.T) {
	rest := ". " + strings.Repeat("The rest. ", 200)
	everyone(t, func(t *testing.T, who []string) {
		for name, clocks := range map[string][]struct {
			text, cause string
			changed     int
		}{
			"minutes":  {{"Now: 10:01", "cold_start", 0}, {"Now: 10:02", "system_changed", 1}, {"Now: 10:02", "none", 0}},
			"midnight": {{"Now: 2026-11-30", "cold_start", 0}, {"Now: 2026-12-01", "system_changed", 4}, {"Now: 2026-12-01", "none", 0}},
			"an hour":  {{"Now: 9:59", "cold_start", 0}, {"Now: 10:00", "system_changed", 5}},
			"in words": {{"Monday", "cold_start", 0}, {"Tuesday", "system_changed", 4}},
		} {
			steps := make(chan proxy.StepInfo, 4)
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
			var items []string
			for i, clock := range clocks {
				items = append(items, prompt(fmt.Sprint(i)))
				sent := body(clock.text+rest, "", "", items...)
				items = append(items, assistant("yes"))
				a := e.post(sent, who...).ok(t)
				b := (<-steps).Break
				if cause := a.Header.Get("X-Prefix-Break"); cause != clock.cause || b.Changed != clock.changed {
					t.Errorf("%s, request %d: %s, %+v; want %s of %d bytes", name, i+1, cause, b, clock.cause, clock.changed)
				}
				if got := string(e.sent()[i].body); got != sent {
					t.Errorf("%s, request %d went up as %.200s", name, i+1, got)
				}
			}
		}
	})
}

// TestCase07Fork: a child that is forked after midnight begins with its parent's bytes,
// whatever its client's prompt says by then; that text stands in its tail.
func TestCase07Fork(t *testing.T) {
	rest := strings.Repeat(" The rest.", 200)
	for name, again := range map[string][]string{
		"its task alone":              {prompt("task")},
		"its parent's history, again": {prompt("1"), assistant("yes"), prompt("task")},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
			e.post(body("Today is 2026-11-30."+rest, tool("pick"), "", prompt("1")), "X-Agent-Id", "root").ok(t)
			a := e.post(body("Today is 2026-12-01."+rest, tool("pick"), "", again...), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
			parent, child := e.sent()[0], e.sent()[1]
			if !child.head(t).Equal(parent.head(t)) {
				t.Errorf("the child's head is not its parent's: %.300s", child.body)
			}
			items := child.items(t)
			if len(items) != 3 || items[0] != prompt("1") || items[1] != assistant("yes") || !strings.HasPrefix(items[2], `{"role":"user","content":"Today is 2026-12-01.`) || strings.Count(items[2], "task") != 1 {
				t.Errorf("the child sends %d items: %.300s", len(items), strings.Join(items, ","))
			}
			if cause := a.Header.Get("X-Prefix-Break"); cause != "none" {
				t.Errorf("the child's prefix breaks by %s", cause)
			}
		})
	}
}
