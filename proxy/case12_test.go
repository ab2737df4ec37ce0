package proxy_test

import (
	"net/http"
	"slices"
	"testing"
)

// TestCase12: what a model said is history in its own bytes, blanks and argument text
// included, in the agent's next request and in a fork's, though the client tidies what it
// returns.
func TestCase12(t *testing.T) {
	piece := func(a string) string { return delta(calls(`{"index":0,"function":{"arguments":"`+a+`"}}`), "") }
	model := func() http.HandlerFunc {
		return script(stream(
			delta(`{"role":"assistant","content":"ok "}`, ""), delta(`{"content":"\n\n"}`, ""),
			delta(calls(`{"index":0,"id":"a1","type":"function","function":{"name":"pick","arguments":""}}`), ""),
			piece(`{ \"b\" : 2.50,`), piece(`\"a\":\"é\"}`), delta(`{}`, "tool_calls"), done,
		), stream(said("yes \\n")...))
	}
	exact := `{"role":"assistant","content":"ok \n\n","tool_calls":[{"id":"a1","type":"function","function":{"name":"pick","arguments":"{ \"b\" : 2.50,\"a\":\"é\"}"}}]}`
	for name, echo := range map[string]string{
		"as it came":  exact,
		"dumped anew": `{"content":"ok \n\n","role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\": \"\\u00e9\", \"b\": 2.5}","name":"pick"},"id":"a1","type":"function"}]}`,
		"trimmed":     `{"role":"assistant","content":"ok","tool_calls":[{"id":"a1","type":"function","function":{"name":"pick","arguments":"{\"b\":2.50,\"a\":\"é\"}"}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, model())
			root := []string{"X-Agent-Id", "root"}
			e.post(body("s", tool("pick"), `,"stream":true`, prompt("go")), root...).ok(t)
			e.post(body("s", tool("pick"), `,"stream":true`, prompt("go"), echo, result("a1", " x\\n")), root...).ok(t)
			want := []string{prompt("go"), exact, result("a1", " x\\n")}
			if name == "as it came" { // the second answer is history, too
				e.post(body("s", tool("pick"), `,"stream":true`, append(slices.Clone(want), assistant("yes"), prompt("more"))...), root...).ok(t)
			}
			e.post(body("", "", `,"stream":true`, prompt("task")), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
			sent := e.sent()
			if got := sent[1].items(t); !slices.Equal(got, want) {
				t.Errorf("the continuation sends\n%s\nwant\n%s", got, want)
			}
			want = append(want, assistant("yes \\n"))
			if got := sent[len(sent)-1].items(t); !slices.Equal(got[:4], want) {
				t.Errorf("the fork sends\n%s\nwant first\n%s", got, want)
			}
		})
	}
}
