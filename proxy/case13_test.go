package proxy_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestCase13: what a model thought goes back with its message where the proxy continues its
// answer, as it came, and nothing is added where it thought nothing. What a client sends of it
// is never taken out, not for anonymous clients, not for agents, not in forks.
func TestCase13(t *testing.T) {
	ownCall := `"tool_calls":[` + strings.Replace(own, `"index":0,`, "", 1) + `]`
	for name, c := range map[string]struct {
		deltas  []string
		members string // of the rebuilt message
	}{
		"reasoning_content":   {[]string{`{"role":"assistant","reasoning_content":"th"}`, `{"reasoning_content":"ink"}`}, `"reasoning_content":"think",`},
		"reasoning":           {[]string{`{"role":"assistant","reasoning":"th"}`, `{"reasoning":"ink"}`}, `"reasoning":"think",`},
		"details, signed":     {[]string{`{"role":"assistant","reasoning_details":[{"type":"t","text":"th","index":0}]}`, `{"reasoning_details":[{"signature":"s=","index":0}]}`}, `"reasoning_details":[{"type":"t","text":"th","index":0,"signature":"s="}],`},
		"content beside":      {[]string{`{"role":"assistant","content":null,"reasoning_content":"th"}`}, `"content":null,"reasoning_content":"th",`},
		"an empty thought":    {[]string{`{"role":"assistant","reasoning_content":""}`}, `"reasoning_content":"",`},
		"nothing":             {[]string{`{"role":"assistant","content":"a"}`}, `"content":"a",`},
		"nothing but a null ": {[]string{`{"role":"assistant","content":"a","reasoning_content":null}`}, `"content":"a",`},
	} {
		message := `{"role":"assistant",` + c.members + ownCall + `}`
		var events strings.Builder
		for _, d := range c.deltas {
			events.WriteString(delta(d, ""))
		}
		for kind, first := range map[string]http.HandlerFunc{
			"stream": stream(events.String()+delta(calls(own), "tool_calls"), done),
			"whole":  reply(200, "application/json", answers(message, "tool_calls", "")),
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				e := newEdge(t, script(first, reply(200, "application/json", saidJSON("yes"))), withTools)
				more := ""
				if kind == "stream" {
					more = `,"stream":true`
				}
				e.post(body("s", "", more, prompt("1")), "X-Agent-Id", "a").ok(t)
				want := []string{prompt("1"), message, `{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`}
				if got := e.sent()[1].items(t); !slices.Equal(got, want) {
					t.Errorf("the continuation sends\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
	t.Run("a client's", func(t *testing.T) {
		everyone(t, func(t *testing.T, who []string) {
			thought := `{"role":"assistant","content":"yes","reasoning_content":"think\n"}`
			e := newEdge(t, reply(200, "application/json", answers(thought, "stop", "")))
			history := []string{
				prompt("1"),
				`{"role":"assistant","content":"a","reasoning_content":"th\u00e9 ","thinking_blocks":[{"signature":"s","thinking":"t"}]}`,
				prompt("2"), `{"role":"assistant","content":null,"reasoning":"r","reasoning_details":[]}`, prompt("3"),
			}
			for range 2 {
				e.post(body("s", "", "", history...), who...).ok(t)
				history = append(history, strings.Replace(thought, `\n`, "", 1), prompt("more")) // some trim it
			}
			sent := e.sent()
			if got := sent[1].items(t); !slices.Equal(got, history[:len(history)-2]) {
				t.Errorf("went up as\n%s\nwant\n%s", got, history[:len(history)-2])
			}
			if who == nil {
				return
			}
			e.post(body("", "", "", prompt("task")), "X-Agent-Id", "kid", "X-Agent-Parent-Id", who[1]).ok(t)
			if got := e.sent()[2].items(t); !slices.Equal(got[:len(history)-2], history[:len(history)-2]) {
				t.Errorf("the fork sends\n%s\nwant first\n%s", got, history[:len(history)-2])
			}
		})
	})
}
