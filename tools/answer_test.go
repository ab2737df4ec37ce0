package tools

import (
	"strings"
	"testing"
)

// chunkOf is one chunk with this delta, and a finish reason unless it is "".
func chunkOf(delta, finish string) string {
	if finish == "" {
		finish = "null"
	} else {
		finish = `"` + finish + `"`
	}
	return `{"id":"x1","object":"chat.completion.chunk","created":1,"model":"m1","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`
}

// usageOf is the usage-only chunk.
func usageOf(usage string) string {
	return `{"id":"x1","object":"chat.completion.chunk","created":1,"model":"m1","choices":[],"usage":` + usage + `}`
}

func answerOf(chunks ...string) *Answer {
	a := new(Answer)
	for _, c := range chunks {
		a.Event("", []byte(c))
	}
	return a
}

func TestMessage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		chunks []string
		want   string
	}{
		{
			"case 12 exact text",
			[]string{
				chunkOf(`{"role":"assistant","content":"ok "}`, ""),
				chunkOf(`{"content":"\n\n"}`, ""),
				chunkOf(`{"tool_calls":[{"index":0,"id":"a1","function":{"name":"pick","arguments":"{ \"b\" : 2.50,"}}]}`, ""),
				chunkOf(`{"tool_calls":[{"index":0,"function":{"arguments":"\"a\":\"é\"}"}}]}`, "tool_calls"), "[DONE]",
			},
			`{"role":"assistant","content":"ok \n\n","tool_calls":[{"id":"a1","type":"function","function":{"name":"pick","arguments":"{ \"b\" : 2.50,\"a\":\"é\"}"}}]}`,
		},
		{
			"case 13 reasoning, content absent",
			[]string{
				chunkOf(`{"role":"assistant","reasoning_content":"th"}`, ""),
				chunkOf(`{"reasoning_content":"ink"}`, ""),
				chunkOf(`{"tool_calls":[{"index":0,"id":"a1","type":"function","function":{"name":"send_message","arguments":"{}"}}]}`, "tool_calls"),
			},
			`{"role":"assistant","reasoning_content":"think","tool_calls":[{"id":"a1","type":"function","function":{"name":"send_message","arguments":"{}"}}]}`,
		},
		{
			"case 13 a field that was only null is not invented",
			[]string{chunkOf(`{"role":"assistant","content":"a","reasoning_content":null,"refusal":null}`, "stop")},
			`{"role":"assistant","content":"a"}`,
		},
		{
			"case 13 reasoning details grow by index",
			[]string{
				chunkOf(`{"role":"assistant","content":"","reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","format":"f1","index":0}]}`, ""),
				chunkOf(`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","format":"f1","index":0}]}`, ""),
				chunkOf(`{"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0}]}`, ""),
				chunkOf(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"ZZ","id":"e1","index":0}]}`, "stop"),
			},
			`{"role":"assistant","content":"","reasoning":"ab","reasoning_details":[{"type":"reasoning.text","text":"ab","format":"f1","index":0,"signature":"s"},{"type":"reasoning.encrypted","data":"ZZ","id":"e1","index":0}]}`,
		},
		{
			"case 13 what came once is kept as it came",
			[]string{chunkOf(`{"role":"assistant","content":"a","x_sig":{ "z" : 1.50, "a":[1, 2] }}`, "stop")},
			`{"role":"assistant","content":"a","x_sig":{ "z" : 1.50, "a":[1, 2] }}`,
		},
		{
			"case 20 empty and repeated identity",
			[]string{
				chunkOf(`{"tool_calls":[{"index":0,"id":"a1","function":{"name":"send_message","arguments":""}}]}`, ""),
				chunkOf(`{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":"{\"to\":"}}]}`, ""),
				chunkOf(`{"tool_calls":[{"index":0,"id":"a1","function":{"name":"send_message","arguments":"\"b\"}"}}]}`, ""),
				chunkOf(`{}`, "tool_calls"), "[DONE]",
			},
			`{"role":"assistant","tool_calls":[{"id":"a1","type":"function","function":{"name":"send_message","arguments":"{\"to\":\"b\"}"}}]}`,
		},
		{
			"case 41 content null",
			[]string{chunkOf(`{"role":"assistant","content":null,"tool_calls":[]}`, ""), chunkOf(`{}`, "stop")},
			`{"role":"assistant","content":null}`,
		},
		{
			"case 37 a pair cut in two, half a pair, no HTML escapes",
			[]string{chunkOf(`{"content":"\ud83d"}`, ""), chunkOf(`{"content":"\ude00 \ud83d <&>"}`, "stop")},
			`{"role":"assistant","content":"\ud83d\ude00 \ud83d <&>"}`,
		},
		{
			"extra members of a call",
			[]string{chunkOf(`{"tool_calls":[{"extra_content":{"google":{"thought_signature":"S"}},"function":{"arguments":"{}","name":"pick"},"id":"a1","type":"function"}]}`, "tool_calls")},
			`{"role":"assistant","tool_calls":[{"id":"a1","type":"function","function":{"name":"pick","arguments":"{}"},"extra_content":{"google":{"thought_signature":"S"}}}]}`,
		},
		{
			"a custom call",
			[]string{chunkOf(`{"tool_calls":[{"index":0,"id":"a1","type":"custom","custom":{"name":"sh","input":"l"}}]}`, ""), chunkOf(`{"tool_calls":[{"index":0,"custom":{"input":"s"}}]}`, "tool_calls")},
			`{"role":"assistant","tool_calls":[{"id":"a1","type":"custom","custom":{"name":"sh","input":"ls"}}]}`,
		},
		{
			"content of parts",
			[]string{chunkOf(`{"content":[{"type":"text","text":"a"}]}`, ""), chunkOf(`{"content":[{"type":"text","text":"b"}]}`, "stop")},
			`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(answerOf(tt.chunks...).Message()); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestParseGivesTheSameForm(t *testing.T) {
	var a Answer
	a.Parse([]byte(`{"id":"c1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":{"content":null,"refusal":null,"reasoning_content":"r","role":"assistant","tool_calls":[{"index":0,"id":"a1","type":"function","function":{"arguments":"{ }","name":"pick"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3}}`))
	want := `{"role":"assistant","content":null,"reasoning_content":"r","tool_calls":[{"id":"a1","type":"function","function":{"name":"pick","arguments":"{ }"}}]}`
	if got := string(a.Message()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if a.State() != Complete || !a.Done || string(a.Usage) != `{"prompt_tokens":3}` || string(a.ID) != `"c1"` || string(a.Created) != "7" {
		t.Errorf("state %v, %+v", a.State(), a)
	}
}

func TestCase17UsageFromAnyChunk(t *testing.T) {
	const u = `{"prompt_tokens":300,"prompt_tokens_details":{"cached_tokens":256}}`
	for name, chunks := range map[string][]string{
		"usage only":   {chunkOf(`{}`, "stop"), usageOf(u)},
		"beside":       {chunkOf(`{}`, "stop"), `{"choices":[{"index":0,"delta":{}}],"usage":` + u + `}`},
		"on finish":    {`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":` + u + `}`},
		"in choice":    {`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":` + u + `}]}`},
		"null after":   {usageOf(u), usageOf("null")},
		"the last one": {usageOf(`{"prompt_tokens":1}`), usageOf(u)},
	} {
		if got := string(answerOf(chunks...).Usage); got != u {
			t.Errorf("%s: %s", name, got)
		}
	}
	if a := answerOf(chunkOf(`{}`, "stop")); a.Usage != nil {
		t.Error("usage that was not reported must stay absent")
	}
}

func TestCase29Failure(t *testing.T) {
	content := chunkOf(`{"content":"a"}`, "")
	for _, tt := range []struct {
		name   string
		event  string
		chunks []string
		want   State
	}{
		{"with empty choices", "", []string{`{"error":{"message":"busy","code":502},"choices":[]}`}, Failed},
		{"without choices", "", []string{`{"error":{"message":"busy"}}`}, Failed},
		{"named event", "error", []string{`{"message":"busy"}`}, Failed},
		{"named event of plain text", "error", []string{`busy`}, Failed},
		{"after content", "", []string{content, content, content, `{"error":"busy"}`}, Failed},
		{"with a finish", "", []string{`{"error":{"code":1},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`}, Failed},
		{"null", "", []string{`{"error":null,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`}, Complete},
		{"beside content", "", []string{`{"error":{"code":1},"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`}, Complete},
	} {
		var a Answer
		for _, c := range tt.chunks {
			a.Event(tt.event, []byte(c))
		}
		if a.State() != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, a.State(), tt.want)
		}
	}
}

func TestCase30State(t *testing.T) {
	text := chunkOf(`{"role":"assistant","content":"a"}`, "")
	if s := answerOf(text, text).State(); s != Incomplete {
		t.Errorf("cut: %v", s)
	}
	if a := answerOf(text, "[DONE]"); a.State() != Incomplete || !a.Done {
		t.Errorf("[DONE] without a finish: %v, done %v", a.State(), a.Done)
	}
	if s := answerOf(text, `{"choices":[{"ind`, chunkOf(`{}`, "stop")).State(); s != Incomplete {
		t.Errorf("a broken chunk: %v", s)
	}
	a := answerOf(text, chunkOf(`{}`, "stop"))
	if a.State() != Complete {
		t.Errorf("finished: %v", a.State())
	}
	if a.Skip(); a.State() != Incomplete {
		t.Errorf("partly unread: %v", a.State())
	}
}

func TestCase33OnlyChoice0IsAssembled(t *testing.T) {
	a := answerOf(
		`{"choices":[{"index":1,"delta":{"content":"no","tool_calls":[{"index":0,"id":"b","function":{"name":"send_message","arguments":"{}"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"yes"}},{"index":1,"delta":{"content":"no"}}]}`,
	)
	if got := string(a.Message()); !a.Multiple || got != `{"role":"assistant","content":"yes"}` {
		t.Errorf("multiple %v, %s", a.Multiple, got)
	}
}

func TestText(t *testing.T) {
	for want, delta := range map[string]string{
		"é\"\n": `{"content":"\u00e9\"\n"}`,
		"ab":    `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
		"":      `{"content":null}`,
	} {
		if got := answerOf(chunkOf(delta, "stop")).Text(); got != want {
			t.Errorf("%s: %q", delta, got)
		}
	}
}

func TestLinearTimeInTheNumberOfDeltas(t *testing.T) {
	a := answerOf(chunkOf(`{"tool_calls":[{"index":0,"id":"a1","function":{"name":"pick","arguments":"{\"t\":\""}}]}`, ""))
	piece := []byte(chunkOf(`{"tool_calls":[{"index":0,"function":{"arguments":"xxxxxxxx"}}]}`, ""))
	const n = 20_000
	allocs := testing.AllocsPerRun(1, func() {
		for range n / 2 {
			a.Event("", piece)
		}
	})
	a.Event("", []byte(chunkOf(`{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]}`, "tool_calls")))
	c := a.Calls()[0]
	if want := `{"t":"` + strings.Repeat("x", 8*n) + `"}`; c.Arguments != want || !c.Complete {
		t.Errorf("%d bytes of arguments, complete %v", len(c.Arguments), c.Complete)
	}
	if allocs > 4*n {
		t.Errorf("%.0f allocations for %d deltas", allocs, n/2)
	}
}
