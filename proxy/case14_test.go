package proxy_test

import (
	"slices"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
)

const everyField = `,"tool_choice":"auto","reasoning_effort":"high","response_format":{"type":"text"},"parallel_tool_calls":true,"chat_template_kwargs":{"enable_thinking": true},"thinking":{"type":"enabled"},"x_vendor":{"b":1,"a":2}`

// TestCase14: a fork child begins with its parent's head, every field of it that can enter
// the prompt included, and its history; what is its own follows behind. What its client asks
// for otherwise is followed, and reported.
func TestCase14(t *testing.T) {
	for name, c := range map[string]struct {
		tools, more string
		fork        proxy.ForkHead
		cause       string
	}{
		"nothing":            {"", "", proxy.ForkByteEqual, "none"},
		"the same":           {tool("pick"), everyField, proxy.ForkByteEqual, "none"},
		"the same, tidied":   {tool("pick"), `,"chat_template_kwargs":{"enable_thinking":true},"x_vendor":{"a":2,"b":1}`, proxy.ForkRepaired, "none"},
		"sampling":           {"", `,"temperature":0.5,"max_tokens":5`, proxy.ForkByteEqual, "none"},
		"another effort":     {"", `,"reasoning_effort":"low"`, proxy.ForkDiverged, "params_changed"},
		"another format":     {"", `,"response_format":{"type":"json_object"}`, proxy.ForkDiverged, "params_changed"},
		"another choice":     {"", `,"tool_choice":"none"`, proxy.ForkDiverged, "params_changed"},
		"one field more":     {"", `,"y_vendor":1`, proxy.ForkDiverged, "params_changed"},
		"one tool more":      {tool("pick") + "," + tool("report"), "", proxy.ForkDiverged, "tools_changed"},
		"another model":      {"", `,"model":"m2"`, proxy.ForkDiverged, "model_changed"},
		"a same-named tool ": {`{"type":"function","function":{"name":"pick"}}`, "", proxy.ForkDiverged, "tools_changed"},
	} {
		t.Run(name, func(t *testing.T) {
			steps := make(chan proxy.StepInfo, 2)
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
			e.post(body("s", tool("pick"), everyField, prompt("1")), "X-Agent-Id", "root").ok(t)
			<-steps
			asked := body("", c.tools, c.more, prompt("task"))
			if strings.Contains(c.more, `"model"`) {
				asked = strings.Replace(asked, `"model":"m1",`, "", 1)
			}
			a := e.post(asked, "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
			info := <-steps
			parent, child := e.sent()[0], e.sent()[1]
			if items := child.items(t); !slices.Equal(items, []string{prompt("1"), assistant("yes"), prompt("task")}) {
				t.Errorf("the child sends %s", items)
			}
			change := parent.head(t).Diff(child.head(t)) // the order of fields is rendered nowhere
			if equal := change.Cause == prefix.CauseNone; equal != (c.fork != proxy.ForkDiverged) {
				t.Errorf("the heads differ: %+v\nparent %s\nchild  %s", change, parent.body, child.body)
			}
			if info.Fork != c.fork {
				t.Errorf("the head is %s, want %s", info.Fork, c.fork)
			}
			if cause := a.Header.Get("X-Prefix-Break"); cause != c.cause {
				t.Errorf("the prefix breaks by %s, want %s", cause, c.cause)
			}
		})
	}
}

// TestForkWithoutADeniedTool: a standard tool that a child shall not have is missing in its head, which
// is then not its parent's.
func TestForkWithoutADeniedTool(t *testing.T) {
	for deny, want := range map[string]proxy.ForkHead{
		"list_agents": proxy.ForkDiverged,
		"pick":        proxy.ForkByteEqual, // the client's own: nothing to deny
	} {
		steps := make(chan proxy.StepInfo, 2)
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")), withTools, measuring(steps))
		e.post(body("s", tool("pick"), "", prompt("1")), "X-Agent-Id", "root").ok(t)
		<-steps
		e.post(body("", "", "", prompt("task")), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root", "X-Agent-Tools-Deny", deny).ok(t)
		if info := <-steps; info.Fork != want || (info.Break.Cause == prefix.CauseNone) != (want == proxy.ForkByteEqual) {
			t.Errorf("without %s the head is %s, and the break %s", deny, info.Fork, info.Break.Cause)
		}
	}
}
