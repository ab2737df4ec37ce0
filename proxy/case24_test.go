package proxy_test

import (
	"slices"
	"strings"
	"testing"
)

// TestCase24: whether an answer goes on is decided by the calls that it has, not by what it
// says of itself; and a call that its answer cut short is neither executed nor kept.
func TestCase24(t *testing.T) {
	const half = `{"index":0,"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{\"scope\":\"chi"}}`
	text := delta(`{"role":"assistant","content":"a"}`, "")
	yes := delta(`{"content":"yes"}`, "") + delta(`{}`, "stop") + done // of the next step; the role is said once
	for name, c := range map[string]struct {
		answer string
		client string   // what the client gets
		kept   []string // what the next request has of the answer, and what is between
		idle   bool     // the turn is over
	}{
		"(a) a call of ours, and stop": {
			text + delta(calls(own), "") + delta(`{}`, "stop") + done, text + yes,
			[]string{`{"role":"assistant","content":"a","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}]}`,
				`{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`, assistant("yes")}, true},
		"(a) a call of the client's, and stop": {
			delta(calls(`{"index":0,"id":"p","type":"function","function":{"name":"pick","arguments":"{}"}}`), "") + delta(`{}`, "stop") + done,
			delta(calls(`{"index":0,"id":"p","type":"function","function":{"name":"pick","arguments":"{}"}}`), "") + delta(`{}`, "stop") + done,
			[]string{`{"role":"assistant","tool_calls":[{"id":"p","type":"function","function":{"name":"pick","arguments":"{}"}}]}`}, false},
		"(b) no call, and tool_calls": {text + delta(`{}`, "tool_calls") + done, text + delta(`{}`, "tool_calls") + done, []string{assistant("a")}, true},
		"(c) half a call, and length": {text + delta(calls(half), "") + delta(`{}`, "length") + done, text + delta(`{}`, "length") + done, []string{assistant("a")}, true},
		"(c) a whole call, and filter": {
			text + delta(calls(own), "") + delta(`{}`, "content_filter") + done, text + delta(`{}`, "content_filter") + done, []string{assistant("a")}, true},
		"half a call, and tool_calls": {
			text + delta(calls(half), "") + delta(`{}`, "tool_calls") + done, text + yes,
			[]string{`{"role":"assistant","content":"a","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{\"scope\":\"chi"}}]}`,
				`{"role":"tool","tool_call_id":"c1","content":"Error: the arguments are not one JSON object."}`, assistant("yes")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, script(stream(c.answer), stream(said("yes")...)), withTools)
			ask := func(items ...string) string { return body("s", tool("pick"), `,"stream":true`, items...) }
			a := e.post(ask(prompt("1")), "X-Agent-Id", "a").ok(t)
			if a.body != c.client {
				t.Errorf("the client got\n%s\nwant\n%s", a.body, c.client)
			}
			if status := e.must(200, "GET", "/agents/a", "")["status"]; (status == "idle") != c.idle {
				t.Errorf("the agent is %s, its turn over: %v", status, c.idle)
			}
			if !c.idle {
				return
			}
			echo := assistant("a")
			if strings.HasSuffix(a.body, yes) {
				echo = assistant("ayes")
			}
			e.post(ask(prompt("1"), echo, prompt("2")), "X-Agent-Id", "a").ok(t)
			sent := e.sent()
			want := append(append([]string{prompt("1")}, c.kept...), prompt("2"))
			if got := sent[len(sent)-1].items(t); !slices.Equal(got, want) {
				t.Errorf("the next request sends\n%s\nwant\n%s", got, want)
			}
		})
	}
}
