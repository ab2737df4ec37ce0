package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"trunkline/proxy"
)

// A model calls list_agents, which needs nobody else, in the ways that providers stream it.
// The client sees one answer, with the step after the call.

// own is the entry of a call of the proxy's tool.
const own = `{"index":0,"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}`

func calls(entries string) string { return `{"tool_calls":[` + entries + `]}` }

func TestOwnCallGoesOnInTheSameAnswer(t *testing.T) {
	end := delta(`{}`, "tool_calls") + done
	for name, c := range map[string]struct{ first, upstream string }{
		"case 20, pieces": {
			delta(calls(`{"index":0,"id":"c1","type":"function","function":{"name":"list_agents","arguments":""}}`), "") +
				delta(calls(`{"index":0,"id":"","function":{"name":"","arguments":"{\"sco"}}`), "") +
				delta(calls(`{"index":0,"id":"c1","function":{"name":"list_agents","arguments":"pe\": \"children\" }"}}`), "") + end,
			`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{\"scope\": \"children\" }"}}]},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`},
		"case 23, with the finish": {
			delta(`{"role":"assistant","content":null,"tool_calls":[`+own+`]}`, "tool_calls") + usage(10, 0) + done,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`},
		"case 24, finish stop": {
			delta(calls(own), "") + delta(`{}`, "stop") + done,
			`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`},
		"no blank line behind DONE": {
			delta(calls(own), "") + strings.TrimSuffix(end, "\n"),
			`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`},
		"case 13, reasoning": {
			delta(`{"role":"assistant","reasoning_content":"th"}`, "") + delta(`{"reasoning_content":"ink"}`, "") + delta(calls(own), "tool_calls") + done,
			`{"role":"assistant","reasoning_content":"think","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`},
		"case 12, blanks and escapes": {
			delta(`{"role":"assistant","content":"ok "}`, "") + delta(`{"content":"\u00e9 \n\n"}`, "") + delta(calls(`{"index":0,"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{ "}}`), "") + delta(calls(`{"index":0,"function":{"arguments":" }\n"}}`), "") + end,
			`{"role":"assistant","content":"ok \u00e9 \n\n","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{  }\n"}}]},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`},
		"case 42, equal ids": {
			delta(calls(own), "") + delta(calls(strings.Replace(own, `"index":0`, `"index":1`, 1)), "") + end,
			`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}},{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`},
		"case 41, content \"\"": {
			delta(`{"role":"assistant","content":""}`, "") + delta(calls(own), "tool_calls") + done,
			`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"(no subagents)"}`},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, script(stream(strings.SplitAfter(c.first, "\n\n")...), stream(said("yes")...)), withTools)
			a := e.post(askStream, "X-Agent-Id", "a")
			if a.err != nil || strings.Contains(a.body, "list_agents") || strings.Count(a.body, "[DONE]") != 1 || strings.Count(a.body, `"finish_reason":"stop"`) != 1 || strings.Contains(a.body, `"finish_reason":"tool_calls"`) {
				t.Errorf("error %v, the client got\n%s", a.err, a.body)
			}
			sent := e.sent()
			if len(sent) != 2 {
				t.Fatalf("%d requests went up", len(sent))
			}
			history := `"messages":[{"role":"user","content":"hi"},` + c.upstream + `]`
			if !strings.Contains(string(sent[1].body), history) {
				t.Errorf("upstream got %s\nwant in it %s", sent[1].body, history)
			}
			if o := e.outcome(); o != proxy.OutcomeOK {
				t.Errorf("outcome %s", o)
			}
		})
	}
}

// TestOwnCallIsNotExecuted checks the answers whose calls must not be: those cut short, and
// those that broke. Nothing goes up again, and no call of the proxy's is shown.
func TestOwnCallIsNotExecuted(t *testing.T) {
	whole := delta(`{"role":"assistant","content":"a"}`, "") + delta(calls(own), "")
	for name, first := range map[string]string{
		"case 24, length":         whole + delta(`{}`, "length") + done,
		"case 24, filter":         whole + delta(`{}`, "content_filter") + done,
		"case 29, error":          whole + `data: {"error":{"message":"busy"},"choices":[]}` + "\n\n" + done,
		"case 30 b, no end":       whole,
		"case 30 d, no finish":    whole + done,
		"case 30 c, half a event": whole + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"to`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, stream(first), withTools)
			a := e.post(askStream, "X-Agent-Id", "a")
			if strings.Contains(a.body, `list_agents`) || strings.Contains(a.body, `"finish_reason":"tool_calls"`) {
				t.Errorf("the client got %s", a.body)
			}
			if n := len(e.sent()); n != 1 {
				t.Errorf("%d requests went up", n)
			}
		})
	}
	for name, unread := range map[string]string{
		"no JSON":       "data: {not}\n\n",
		"case 28, long": delta(`{"content":"`+strings.Repeat("y", 10_000)+`"}`, ""),
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, stream(whole+unread+delta(`{}`, "tool_calls")+done), withTools, func(c *proxy.Config) { c.EventMax = 4096 })
			a := e.post(askStream, "X-Agent-Id", "a")
			if a.err == nil || !strings.Contains(a.body, `"code":"upstream_broken"`) || strings.Contains(a.body, `"finish_reason":"`) || strings.Contains(a.body, "[DONE]") {
				t.Errorf("error %v, the client got %.1000s", a.err, a.body)
			}
			if n := len(e.sent()); n != 1 {
				t.Errorf("%d requests went up", n)
			}
		})
	}
	t.Run("case 30 a, reset", func(t *testing.T) {
		e := newEdge(t, abort(stream(whole+delta(`{}`, "tool_calls"))), withTools)
		if a := e.post(askStream, "X-Agent-Id", "a"); a.err == nil || strings.Contains(a.body, `list_agents`) || len(e.sent()) != 1 {
			t.Errorf("error %v, %d requests went up, the client got %s", a.err, len(e.sent()), a.body)
		}
	})
}

// TestCase33 asks for two choices, each of which calls a tool of the proxy's name: an
// agent's request too passes as it is, without tools, and so does its answer, in whatever
// order the choices come. It stands beside the agent, and is reported so.
func TestCase33(t *testing.T) {
	first := func(i string) string {
		return chunk(`{"index":` + i + `,"delta":{"role":"assistant","tool_calls":[` + own + `]}}`)
	}
	last := func(i string) string { return chunk(`{"index":` + i + `,"delta":{},"finish_reason":"tool_calls"}`) }
	everyone(t, func(t *testing.T, who []string) {
		want := proxy.RelationAnonymous
		if who != nil {
			want = proxy.RelationAuxiliary
		}
		for _, events := range []string{
			first("1") + first("0") + last("0") + last("1") + done, first("0") + first("1") + last("1") + last("0") + done,
		} {
			for _, n := range []string{"2", "1.0", `"2"`} {
				body := strings.Replace(askStream, `{`, `{"n":`+n+`,`, 1)
				e := newEdge(t, stream(events), withTools)
				a := e.post(body, who...)
				if got := string(e.one().body); a.body != events || got != body {
					t.Errorf("n %s: upstream got %s, the client %s", n, got, a.body)
				}
				if info := <-e.ended; info.Relation != want || info.Outcome != proxy.OutcomeOK {
					t.Errorf("n %s: a request that is %s ended as %s", n, info.Relation, info.Outcome)
				}
			}
		}
	})
}

// TestUnaskedChoices checks an answer that has more choices than were asked for.
func TestUnaskedChoices(t *testing.T) {
	events := chunk(`{"index":0,"delta":{"role":"assistant","tool_calls":[`+own+`]}},{"index":1,"delta":{"role":"assistant"}}`) +
		chunk(`{"index":0,"delta":{},"finish_reason":"tool_calls"}`) + done
	e := newEdge(t, stream(events), withTools)
	if a := e.post(askStream, "X-Agent-Id", "a"); a.body != events || len(e.sent()) != 1 {
		t.Errorf("%d requests went up, the client got %s", len(e.sent()), a.body)
	}
}

// TestCase35 checks who is asked for usage, and that what the client did not ask for is
// taken out of its stream again, and nothing else.
func TestCase35(t *testing.T) {
	events := delta(`{"role":"assistant","content":"a"}`, "") + delta(`{}`, "stop")
	provider := func(w http.ResponseWriter, r *http.Request) {
		stream(events, usage(300, 256), done)(w, r)
	}
	all, hidden := events+usage(300, 256)+done, events+done
	for _, c := range []struct{ name, option, upstream, body string }{
		{"no option", ``, `,"stream_options":{"include_usage":true}`, hidden},
		{"null", `,"stream_options":null`, `,"stream_options":{"include_usage":true}`, hidden},
		{"another option", `,"stream_options":{"include_obfuscation":false}`, `,"stream_options":{"include_usage":true,"include_obfuscation":false}`, hidden},
		{"empty", `,"stream_options":{ }`, `,"stream_options":{"include_usage":true}`, hidden},
		{"refused", `,"stream_options":{"include_usage":false}`, `,"stream_options":{"include_usage":false}`, all},
		{"asked", `,"stream_options":{"include_usage":true}`, `,"stream_options":{"include_usage":true}`, all},
		{"odd", `,"stream_options":7`, `,"stream_options":7`, all},
	} {
		t.Run(c.name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				for _, whom := range []proxy.AskUsage{proxy.AskNobody, proxy.AskIdentified, proxy.AskAll} {
					e := newEdge(t, provider, func(c *proxy.Config) { c.AskUsage = whom })
					body := strings.TrimSuffix(askStream, "}") + c.option + "}"
					wantUp, wantDown := strings.TrimSuffix(askStream, "}")+c.upstream+"}", c.body
					if whom == proxy.AskNobody || whom == proxy.AskIdentified && who == nil {
						wantUp, wantDown = body, all
					}
					a := e.post(body, who...)
					if got := string(e.one().body); got != wantUp || a.body != wantDown {
						t.Errorf("%s: upstream got %s\nwant         %s\nclient got %s\nwant       %s", whom, got, wantUp, a.body, wantDown)
					}
				}
			})
		})
	}
	t.Run("in several steps", func(t *testing.T) {
		first := stream(delta(calls(own), "tool_calls"), usage(10, 0), done)
		last := stream(delta(`{"role":"assistant","content":"a"}`, ""), delta(`{}`, "stop"), usage(20, 10), usage(20, 16), done)
		for option, want := range map[string]int{``: 0, `,"stream_options":{"include_usage":true}`: 2} { // as many as the last step has
			e := newEdge(t, script(first, last), withTools, func(c *proxy.Config) { c.AskUsage = proxy.AskIdentified })
			a := e.post(strings.TrimSuffix(askStream, "}")+option+"}", "X-Agent-Id", "a").ok(t)
			if n := strings.Count(a.body, `"usage"`); n != want || strings.Count(a.body, done) != 1 || !strings.Contains(a.body, `"content":"a"`) {
				t.Errorf("with %q the client got %d reports in\n%s", option, n, a.body)
			}
			if n := len(e.sent()); n != 2 {
				t.Errorf("%d requests went up, want 2", n)
			}
			for _, r := range e.sent() {
				if n := strings.Count(string(r.body), `"include_usage":true`); n != 1 {
					t.Errorf("with %q usage is asked for %d times in %s", option, n, r.body)
				}
			}
		}
	})
	t.Run("a provider that does not know the option", func(t *testing.T) {
		everyone(t, func(t *testing.T, who []string) {
			e := newEdge(t, provider, profile(t, "mistral"), func(c *proxy.Config) { c.AskUsage = proxy.AskAll })
			if a := e.post(askStream, who...); a.body != all || string(e.one().body) != askStream {
				t.Errorf("upstream got %s, the client %s", e.one().body, a.body)
			}
		})
	})
	t.Run("not a stream", func(t *testing.T) {
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")), func(c *proxy.Config) { c.AskUsage = proxy.AskIdentified })
		if a := e.post(ask, "X-Agent-Id", "a"); a.body != saidJSON("yes") || string(e.one().body) != ask {
			t.Errorf("upstream got %s, the client %s", e.one().body, a.body)
		}
	})
}

// TestKindChangesBetweenSteps lets a provider answer one step as a stream and the next in
// one piece, and the other way round: the client still gets one answer.
func TestKindChangesBetweenSteps(t *testing.T) {
	callJSON := `{"id":"x1","object":"chat.completion","created":1,"model":"m1","choices":[{"index":0,"message":{"role":"assistant","content":"first ","tool_calls":[` + strings.Replace(own, `"index":0,`, "", 1) + `]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
	callStream := stream(delta(`{"role":"assistant","content":"first "}`, ""), delta(calls(own), "tool_calls"), done)
	piece, events := reply(200, "application/json", callJSON), stream(said("last")...)
	for name, steps := range map[string][]http.HandlerFunc{
		"stream, piece":         {callStream, reply(200, "application/json", saidJSON("last"))},
		"piece, stream":         {piece, events},
		"piece, piece, stream":  {piece, piece, events},
		"stream, piece, stream": {callStream, piece, events},
		"piece, stream, piece":  {piece, callStream, reply(200, "application/json", saidJSON("last"))},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, script(steps...), withTools)
			a := e.post(askStream, "X-Agent-Id", "a")
			if n := len(e.sent()); n != len(steps) {
				t.Errorf("%d requests went up, want %d", n, len(steps))
			}
			if a.err != nil || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") || strings.Count(a.body, "[DONE]") != 1 || strings.Contains(a.body, "list_agents") {
				t.Fatalf("error %v, headers %v, the client got\n%s", a.err, a.Header, a.body)
			}
			var text strings.Builder
			for _, part := range strings.Split(a.body, `"content":"`)[1:] {
				text.WriteString(part[:strings.Index(part, `"`)])
			}
			if want := strings.Repeat("first ", len(steps)-1) + "last"; text.String() != want {
				t.Errorf("the client read %q, want %q, from\n%s", text.String(), want, a.body)
			}
			if strings.Count(a.body, `"finish_reason":"stop"`) != 1 || strings.Contains(a.body, `"finish_reason":"tool_calls"`) {
				t.Errorf("finishes in\n%s", a.body)
			}
		})
	}
}

// TestLaterStepFails lets the provider refuse, or fail, the step behind a call of ours: the
// client of a stream reads an error event and no end, that of a whole answer the refusal.
func TestLaterStepFails(t *testing.T) {
	callStream := stream(delta(`{"role":"assistant","content":"first "}`, ""), delta(calls(own), "tool_calls"), done)
	for name, second := range map[string]http.HandlerFunc{
		"refused":    reply(429, "application/json", `{"error":{"message":"slow"}}`, "Retry-After", "9"),
		"no JSON":    reply(200, "text/html", "<html/>"),
		"error body": reply(200, "application/json", `{"error":{"message":"no"}}`),
		"closed":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, script(callStream, second), withTools)
			a := e.post(askStream, "X-Agent-Id", "a")
			if a.err == nil || !strings.Contains(a.body, `data: {"error":{`) || strings.Contains(a.body, "[DONE]") || strings.Contains(a.body, `_reason":"`) {
				t.Errorf("error %v, the client got\n%s", a.err, a.body)
			}
		})
	}
	t.Run("whole", func(t *testing.T) {
		callJSON := `{"id":"x1","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` + strings.Replace(own, `"index":0,`, "", 1) + `]},"finish_reason":"tool_calls"}]}`
		e := newEdge(t, script(reply(200, "application/json", callJSON), reply(429, "application/json", `{"slow":1}`, "Retry-After", "9")), withTools)
		a := e.post(ask, "X-Agent-Id", "a")
		if a.StatusCode != 429 || a.body != `{"slow":1}` || a.Header.Get("Retry-After") != "9" {
			t.Errorf("status %d, body %s", a.StatusCode, a.body)
		}
	})
}
