package proxy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trunkline/proxy"
)

// toolTurns are a conversation whose tools come in connection order, and lose one while its
// server is down.
var toolTurns = []string{
	body("s", tool("pick")+","+tool("scan")+","+tool("move"), "", prompt("1")),
	body("s", tool("scan")+","+tool("pick")+","+tool("move"), "", prompt("1"), assistant("yes"), prompt("2")),
	body("s", tool("pick")+","+tool("move"), "", prompt("1"), assistant("yes"), prompt("2"), assistant("yes"), prompt("3")),
	body("s", tool("pick")+","+tool("scan")+","+tool("move"), "", prompt("1"), assistant("yes"), prompt("2"), assistant("yes"), prompt("3"), assistant("yes"), prompt("4")),
}

// TestCase05: tools go up as sent, and what their order or a missing one costs is named, with
// the first byte that differs.
func TestCase05(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		steps := make(chan proxy.StepInfo, len(toolTurns))
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps), noRepair)
		for i, want := range []struct{ cause, name string }{
			{"cold_start", ""}, {"tools_reordered", "scan"}, {"tools_changed", "-scan"}, {"tools_changed", "+scan"},
		} {
			a := e.post(toolTurns[i], who...).ok(t)
			found := (<-steps).Break
			if cause := a.Header.Get("X-Prefix-Break"); cause != want.cause || string(found.Cause) != want.cause || i > 0 && found.Name != want.name {
				t.Errorf("turn %d: %s, %+v; want %v", i+1, cause, found, want)
			}
			if got := string(e.sent()[i].body); got != toolTurns[i] {
				t.Errorf("turn %d went up as %s", i+1, got)
			}
			if i == 1 {
				// The tools sit ahead of all messages; of the first one, what is ahead of its name is
				// shared.
				within := strings.Index(tool("scan"), "scan")
				shared := int64(len(`"m1"`) + within)
				if found.Item != 0 || found.Within != within || found.Offset != shared {
					t.Errorf("turn 2: %+v, want %d bytes of the first tool, %d in all", found, within, shared)
				}
			}
		}
	})
}

// TestCase05Repair: an agent's tools keep the order that they had at first; one that is gone
// is not put back.
func TestCase05Repair(t *testing.T) {
	steps := make(chan proxy.StepInfo, len(toolTurns))
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
	for i, want := range []string{"cold_start", "none", "tools_changed", "tools_changed"} {
		a := e.post(toolTurns[i], "X-Agent-Id", "a").ok(t)
		info := <-steps
		if cause := a.Header.Get("X-Prefix-Break"); cause != want {
			t.Errorf("turn %d: %s, want %s", i+1, cause, want)
		}
		if repaired := info.Repairs["tools_reordered"]; repaired != btoi(i == 1) {
			t.Errorf("turn %d: repairs %v", i+1, info.Repairs)
		}
	}
	names := func(r received) []string {
		var names []string
		for _, part := range strings.Split(string(r.body), `"function":{"name":"`)[1:] {
			names = append(names, part[:strings.Index(part, `"`)])
		}
		return names
	}
	for i, want := range [][]string{{"pick", "scan", "move"}, {"pick", "scan", "move"}, {"pick", "move"}} {
		if got := names(e.sent()[i]); !slices.Equal(got, want) {
			t.Errorf("turn %d went up with %v, want %v", i+1, got, want)
		}
	}
}

// TestCase05Forks: the order in which a child's client has connected its tools costs it
// nothing, since the parent's whole list goes up.
func TestCase05Forks(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
	e.post(toolTurns[0], "X-Agent-Id", "root").ok(t)
	head := e.sent()[0].head(t)
	for i, list := range []string{
		"", tool("move") + "," + tool("scan") + "," + tool("pick"), tool("move"), tool("scan") + "," + tool("pick"),
	} {
		e.post(body("", list, "", prompt("task")), "X-Agent-Id", fmt.Sprint("kid", i), "X-Agent-Parent-Id", "root").ok(t)
		if got := e.sent()[i+1]; !got.head(t).Equal(head) {
			t.Errorf("with the tools [%s] went up %s", list, got.body)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
