package proxy_test

import (
	"slices"
	"strings"
	"testing"
)

// TestCase44: a client's names and roles go up as they came, in forks and beside what the
// proxy inserts, too; who sent a message is told in its text, never by a name.
func TestCase44(t *testing.T) {
	developer := `{"role":"developer","content":"d","name":"boss"}`
	named, note := `{"role":"user","name":"agent-b","content":"t"}`, `{"role":"developer","content":"later"}`
	tell := stream(delta(calls(`{"index":0,"id":"c","type":"function","function":{"name":"send_message","arguments":"{\"agent_id\":\"root\",\"message\":\"news\"}"}}`), "tool_calls"), done)
	yes := stream(said("yes")...)
	e := newEdge(t, script(yes, tell, yes), withTools)
	ask := func(items ...string) string { return body("", tool("pick"), `,"stream":true`, items...) }
	root := []string{"X-Agent-Id", "root"}
	e.post(ask(developer, named), root...).ok(t)
	e.post(ask(prompt("task")), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
	e.post(ask(developer, named, assistant("yes"), note, `{"role":"user","name":"agent-c","content":"u"}`), root...).ok(t)
	sent := e.sent()
	for i, r := range sent {
		if head := r.head(t); len(head.System) != 1 || string(head.System[0]) != developer {
			t.Errorf("request %d begins with %s", i, head.System)
		}
		if items := r.items(t); items[0] != named {
			t.Errorf("request %d goes on with %s", i, items[0])
		}
	}
	items := sent[len(sent)-1].items(t)
	want := []string{named, assistant("yes"), note,
		`{"role":"user","content":"Agent kid sent a message:\nnews"}`, `{"role":"user","content":"Agent kid settled: completed.\nyes"}`,
		`{"role":"user","name":"agent-c","content":"u"}`}
	if !slices.Equal(items, want) {
		t.Errorf("the parent reads\n%s\nwant\n%s", strings.Join(items, "\n"), strings.Join(want, "\n"))
	}
}
