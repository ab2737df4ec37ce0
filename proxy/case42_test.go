package proxy_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestCase42: a model that gives all of its calls one id, within an answer and in every turn,
// has each of them executed once, and the client's results are paired by their places.
func TestCase42(t *testing.T) {
	call := func(index, name, arguments string) string {
		return `{"index":` + index + `,"id":"f:0","type":"function","function":{"name":"` + name + `","arguments":"` + arguments + `"}}`
	}
	send := func(index string) string {
		return call(index, "send_message", `{\"agent_id\":\"kid\",\"message\":\"same\"}`)
	}
	mixed := func(entries ...string) http.HandlerFunc {
		return stream(delta(calls(strings.Join(entries, ",")), "tool_calls"), done)
	}
	yes := stream(said("yes")...)
	e := newEdge(t, script(
		yes, yes, // both agents are there
		mixed(send("0"), send("1")), yes,
		mixed(call("0", "pick", "{}"), send("1"), call("2", "pick", "{}")), yes,
		mixed(send("0")), yes,
		yes,
	), withTools)
	root, kid := []string{"X-Agent-Id", "root"}, []string{"X-Agent-Id", "kid", "X-Agent-Parent-Id", "root", "X-Agent-Notify", "none"}
	ask := func(items ...string) string { return body("s", tool("pick"), `,"stream":true`, items...) }
	history := []string{prompt("1")}
	e.post(ask(history...), root...).ok(t)
	e.post(body("", "", `,"stream":true`, prompt("task")), kid...).ok(t)
	history = append(history, assistant("yes"), prompt("2"))
	e.post(ask(history...), root...).ok(t)
	history = append(history, assistant("yes"), prompt("3"))
	e.post(ask(history...), root...).ok(t)
	picks := calling("f:0", "pick", "{}", "f:0", "pick", "{}")
	history = append(history, picks, result("f:0", "first"), result("f:0", "second"))
	e.post(ask(history...), root...).ok(t)
	items := e.sent()[5].items(t)
	var results []string
	for _, item := range items[len(items)-3:] {
		results = append(results, item[strings.Index(item, `"content":"`)+len(`"content":"`):][:5])
	}
	if !slices.Equal(results, []string{"first", "messa", "secon"}) {
		t.Errorf("the results stand as %s", items[len(items)-3:])
	}
	history = append(history, assistant("yes"), prompt("4"))
	e.post(ask(history...), root...).ok(t)
	e.post(body("", "", `,"stream":true`, prompt("task"), assistant("yes"), prompt("news?")), kid...).ok(t)
	sent := e.sent()
	if n := strings.Count(string(sent[len(sent)-1].body), `Agent root sent a message:\nsame`); n != 4 {
		t.Errorf("the child reads %d messages, want 4: %s", n, sent[len(sent)-1].body)
	}
}
