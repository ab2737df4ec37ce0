package proxy_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestCase41: absent, null and empty content are three things to a provider, and go back to it
// as it gave them, whatever the client makes of them. The client never gets an empty list of
// calls, and where only calls of ours were made it gets nothing of their message.
func TestCase41(t *testing.T) {
	const pick = `{"index":1,"id":"p","type":"function","function":{"name":"pick","arguments":"{}"}}`
	for form, content := range map[string]string{"absent": ``, "null": `"content":null,`, "empty": `"content":"",`} {
		for name, entries := range map[string]string{"ours alone": own, "ours and the client's": own + "," + pick} {
			list := strings.NewReplacer(`"index":0,`, "", `"index":1,`, "").Replace(`"tool_calls":[` + entries + `]`)
			message := `{"role":"assistant",` + content + list + `}`
			streamed := stream(delta(`{"role":"assistant",`+content+`"tool_calls":[`+entries+`]}`, ""), delta(`{}`, "tool_calls"), done)
			if content != "" { // servers often say it first
				streamed = stream(delta(strings.TrimSuffix(`{"role":"assistant",`+content, ",")+"}", ""), delta(calls(entries), ""), delta(`{}`, "tool_calls"), done)
			}
			for kind, first := range map[string]http.HandlerFunc{
				"stream": streamed,
				"whole":  reply(200, "application/json", answers(message, "tool_calls", "")),
			} {
				t.Run(form+", "+name+", "+kind, func(t *testing.T) {
					yes, more := reply(200, "application/json", saidJSON("yes")), ""
					if kind == "stream" {
						yes, more = stream(said("yes")...), `,"stream":true`
					}
					e := newEdge(t, script(first, yes), withTools)
					ask := func(items ...string) string { return body("s", tool("pick"), more, items...) }
					a := e.post(ask(prompt("1")), "X-Agent-Id", "a").ok(t)
					if strings.Contains(a.body, `"tool_calls":[]`) || strings.Contains(a.body, "list_agents") || strings.Contains(a.body, `"pick"`) != (entries != own) {
						t.Errorf("the client got\n%s", a.body)
					}
					ours := `{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`
					want := []string{prompt("1"), message, ours}
					next := []string{prompt("1"), assistant("yes"), prompt("2")}
					if entries == own {
						if got := e.sent()[1].items(t); !slices.Equal(got, want) {
							t.Errorf("the continuation sends\n%s\nwant\n%s", got, want)
						}
						want = append(want, assistant("yes"), prompt("2"))
					} else {
						// A client keeps null for whatever it did not get.
						next = []string{prompt("1"), calling("p", "pick", "{}"), result("p", "picked")}
						want = append(want, result("p", "picked"))
					}
					e.post(ask(next...), "X-Agent-Id", "a").ok(t)
					sent := e.sent()
					if got := sent[len(sent)-1].items(t); !slices.Equal(got, want) {
						t.Errorf("the next request sends\n%s\nwant\n%s", got, want)
					}
				})
			}
		}
	}
}
