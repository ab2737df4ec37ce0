package proxy_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCase37: half a character in a client's history goes up as it is, also where the proxy
// inserts beside it and in forks: mending it would break the prefix. What the proxy inserts
// is whole, whatever the model that said it cut in two.
func TestCase37(t *testing.T) {
	for name, half := range map[string]string{"a lone surrogate": `half \ud83d end`, "broken UTF-8": "half \xff end", "a cut emoji": "half \xf0\x9f\x98 end"} {
		t.Run(name, func(t *testing.T) {
			quoted := strings.ReplaceAll(half, `\`, `\\`) // within arguments
			model := script(
				stream(said("yes")...),
				stream(delta(calls(`{"index":0,"id":"c","type":"function","function":{"name":"send_message","arguments":"{\"agent_id\":\"root\",\"message\":\"`+quoted+`\"}"}}`), "tool_calls"), done),
				stream(said(half)...), // the closing message
				stream(said("yes")...),
			)
			e := newEdge(t, model, withTools)
			root := []string{"X-Agent-Id", "root"}
			history := []string{prompt(half), calling("a1", "pick", "{}"), result("a1", half)}
			e.post(body("s", tool("pick"), `,"stream":true`, history...), root...).ok(t)
			e.post(body("", "", `,"stream":true`, prompt("task")), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
			e.post(body("s", tool("pick"), `,"stream":true`, append(slices.Clone(history), assistant("yes"), prompt("go on"))...), root...).ok(t)
			sent := e.sent()
			for i, r := range sent {
				if got := r.items(t); !slices.Equal(got[:3], history) {
					t.Errorf("request %d sends %q", i, got[:3])
				}
			}
			items := sent[3].items(t)
			if len(items) != 7 {
				t.Fatalf("the parent reads %q", items)
			}
			for i, start := range []string{`{"role":"user","content":"Agent kid sent a message:\nhalf ` + "\ufffd", `{"role":"user","content":"Agent kid settled: completed.\nhalf ` + "\ufffd"} {
				if got := items[4+i]; !strings.HasPrefix(got, start) || !strings.HasSuffix(got, ` end"}`) || !utf8.ValidString(got) || strings.Contains(got, `\u`) {
					t.Errorf("the parent reads %q, want it to begin with %q", got, start)
				}
			}
		})
	}
}
