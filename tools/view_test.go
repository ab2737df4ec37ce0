package tools

import (
	"strings"
	"testing"
)

const doneEvent = "data: [DONE]\n\n"

func TestCase67WhatTheClientSees(t *testing.T) {
	send := func(i string) string { return tc(i, "s"+i, SendMessage, "{}") }
	pick := func(i string) string { return tc(i, "p"+i, "pick", "{}") }
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"ours first", []string{ev(chunkOf(callsDelta(send("0")), "")), ev(chunkOf(callsDelta(pick("1")), "")), ev(chunkOf(`{}`, "tool_calls")), doneEvent},
			ev(chunkOf(callsDelta(tc("0", "p1", "pick", "{}")), "")) + ev(chunkOf(`{}`, "tool_calls")) + doneEvent},
		{"ours last", []string{ev(chunkOf(callsDelta(pick("0")), "")), ev(chunkOf(callsDelta(send("1")), "")), ev(chunkOf(`{}`, "tool_calls")), doneEvent},
			ev(chunkOf(callsDelta(pick("0")), "")) + ev(chunkOf(`{}`, "tool_calls")) + doneEvent},
		{"one delta", []string{ev(chunkOf(callsDelta(pick("0"), send("1"), send("2"), pick("3"), send("4")), "tool_calls")), doneEvent},
			ev(chunkOf(callsDelta(pick("0"), tc("1", "p3", "pick", "{}")), "tool_calls")) + doneEvent},
		{"only ours, the step limit reached", []string{ev(chunkOf(callsDelta(send("0"), send("1")), "")), ev(chunkOf(`{}`, "tool_calls")), doneEvent},
			ev(chunkOf(`{}`, "stop")) + doneEvent},
		{"text before ours", []string{ev(chunkOf(`{"role":"assistant","content":"a"}`, "")), ev(chunkOf(callsDelta(send("0")), "")), ev(chunkOf(`{}`, "tool_calls")), doneEvent},
			ev(chunkOf(`{"role":"assistant","content":"a"}`, "")) + ev(chunkOf(`{}`, "stop")) + doneEvent},
		{"case 23 call, role and finish in one", []string{ev(chunkOf(`{"role":"assistant","content":null,"tool_calls":[`+send("0")+`]}`, "tool_calls")), doneEvent},
			ev(chunkOf(`{"role":"assistant","content":null}`, "stop")) + doneEvent},
		{"case 24 mixed with a finish of stop", []string{ev(chunkOf(callsDelta(send("0"), pick("1")), "")), ev(chunkOf(`{}`, "stop")), doneEvent},
			ev(chunkOf(callsDelta(tc("0", "p1", "pick", "{}")), "")) + ev(chunkOf(`{}`, "tool_calls")) + doneEvent},
		{"case 24 length stays", []string{ev(chunkOf(callsDelta(tc("0", "s", SendMessage, `{"to":"b","te`)), "")), ev(chunkOf(`{}`, "length")), doneEvent},
			ev(chunkOf(`{}`, "length")) + doneEvent},
		{"case 24 tool_calls without a call stays", []string{ev(chunkOf(`{}`, "tool_calls")), doneEvent},
			ev(chunkOf(`{}`, "tool_calls")) + doneEvent},
		{"case 41 an empty delta is not left behind", []string{ev(chunkOf(`{"content":null,"tool_calls":[`+send("0")+`]}`, "")), ev(chunkOf(`{}`, "tool_calls"))},
			ev(chunkOf(`{}`, "stop"))},
		{"text beside ours", []string{ev(chunkOf(`{"tool_calls":[`+send("0")+`], "content":"a"}`, ""))},
			ev(chunkOf(`{"content":"a"}`, ""))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := NewView(ViewConfig{Own: ours})
			if got := feed(v, tt.in...) + string(v.End(true)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestOnlyTheClientsBytesPassUnchanged(t *testing.T) {
	events := []string{
		": OPENROUTER PROCESSING\n\n",
		"retry: 1000\n\n",
		"id: 7\r\ndata: " + chunkOf(`{"role":"assistant","content":"<é>"}`, "") + "\r\n\r\n",
		ev(chunkOf(callsDelta(tc("3", "a", "pick", "")), "")),
		ev(chunkOf(callsDelta(tc("3", "", "", "{}"), tc("4", "b", "-", "{")), "")),
		": ping\n\n",
		ev(chunkOf(callsDelta(tc("4", "b", "scan", "}")), "")),
		"event: vendor\ndata: not json\n\n",
		ev(chunkOf(`{}`, "stop")),
		ev(usageOf(`{"prompt_tokens":3}`)),
		doneEvent,
	}
	v := NewView(ViewConfig{Own: ours})
	got := feed(v, events...) + string(v.End(true))
	// Keep-alives do not wait for the name of a call; all else keeps its order.
	want := strings.Join(events, "")
	if strings.ReplaceAll(got, ": ping\n\n", "") != strings.ReplaceAll(want, ": ping\n\n", "") || len(got) != len(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTextPassesAtOnceAndTheFinishWaits(t *testing.T) {
	v := NewView(ViewConfig{Own: ours})
	text := ev(chunkOf(`{"role":"assistant","content":"a"}`, ""))
	if got := feed(v, text); got != text {
		t.Errorf("text: %q", got)
	}
	if got := feed(v, ev(chunkOf(`{}`, "stop")), ev(usageOf(`{}`)), doneEvent); got != "" {
		t.Errorf("held too little: %q", got)
	}
	if got := feed(v, ": ping\n\n"); got != ": ping\n\n" {
		t.Errorf("a comment: %q", got)
	}
}

func TestACallWaitsForItsName(t *testing.T) {
	v := NewView(ViewConfig{Own: ours})
	nameless := ev(chunkOf(callsDelta(tc("0", "a", "-", "{")), ""))
	text := ev(chunkOf(`{"content":"t"}`, ""))
	if got := feed(v, nameless, text); got != "" {
		t.Fatalf("let through before the name: %q", got)
	}
	named := ev(chunkOf(callsDelta(tc("0", "-", "pick", "}")), ""))
	if got, want := feed(v, named), nameless+text+named; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}

	v = NewView(ViewConfig{Own: ours})
	if got := feed(v, nameless, text, ev(chunkOf(callsDelta(tc("0", "-", SendMessage, "}")), ""))); got != text {
		t.Errorf("ours: got %q", got)
	}

	v = NewView(ViewConfig{Own: ours})
	if got := feed(v, nameless, ev(chunkOf(`{}`, "stop"))); got != nameless {
		t.Errorf("never named: got %q", got)
	}
}

func TestStepsAreOneAnswer(t *testing.T) {
	second := func(s string) string {
		return strings.NewReplacer(`"id":"x1"`, `"id":"x2"`, `"created":1`, `"created":2`).Replace(s)
	}
	v := NewView(ViewConfig{Own: ours})
	out := feed(v,
		ev(chunkOf(`{"role":"assistant","content":""}`, "")),
		ev(chunkOf(`{"content":"one "}`, "")),
		ev(chunkOf(callsDelta(tc("0", "s", SendMessage, "{}")), "")),
		ev(chunkOf(`{}`, "tool_calls")),
		ev(usageOf(`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`)), doneEvent)
	out += string(v.End(false))
	out += feed(v,
		ev(second(chunkOf(`{"role":"assistant","content":""}`, ""))),
		ev(second(chunkOf(`{"role":"assistant","content":"two"}`, ""))),
		ev(second(chunkOf(`{}`, "stop"))),
		ev(second(usageOf(`{"prompt_tokens":20,"completion_tokens":3,"total_tokens":23,"prompt_tokens_details":{"cached_tokens":9}}`))), doneEvent)
	out += string(v.End(true))
	want := ev(chunkOf(`{"role":"assistant","content":""}`, "")) +
		ev(chunkOf(`{"content":"one "}`, "")) +
		ev(chunkOf(`{"content":"two"}`, "")) +
		ev(chunkOf(`{}`, "stop")) +
		ev(usageOf(`{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,"prompt_tokens_details":{"cached_tokens":9},"trunkline":{"steps":[{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12},{"prompt_tokens":20,"completion_tokens":3,"total_tokens":23,"prompt_tokens_details":{"cached_tokens":9}}]}}`)) +
		doneEvent
	if out != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

func TestTextBesideASwallowedFinishIsKept(t *testing.T) {
	v := NewView(ViewConfig{Own: ours})
	feed(v, ev(chunkOf(`{"content":"tail","tool_calls":[`+tc("0", "s", SendMessage, "{}")+`]}`, "tool_calls")), ev(usageOf(`{}`)), doneEvent)
	if got, want := string(v.End(false)), ev(chunkOf(`{"content":"tail"}`, "")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCase35UsageThatTheClientDidNotAskFor(t *testing.T) {
	for hide, want := range map[bool]string{true: "", false: ev(usageOf(`{"prompt_tokens":1}`))} {
		v := NewView(ViewConfig{Own: ours, HideUsage: hide})
		finish := ev(chunkOf(`{}`, "stop"))
		got := feed(v, finish, ev(usageOf(`{"prompt_tokens":1}`)), doneEvent) + string(v.End(true))
		if got != finish+want+doneEvent {
			t.Errorf("hide %v: %s", hide, got)
		}
	}
}

func TestCase29ErrorsPass(t *testing.T) {
	v := NewView(ViewConfig{Own: ours, HideUsage: true})
	text := ev(chunkOf(`{"content":"a"}`, ""))
	failure := ev(`{"error":{"message":"busy"},"choices":[],"usage":{}}`)
	if got := feed(v, text, failure) + string(v.End(true)); got != text+failure {
		t.Errorf("got %s", got)
	}
}

func TestCase30NothingIsInvented(t *testing.T) {
	v := NewView(ViewConfig{Own: ours})
	text := ev(chunkOf(`{"content":"a"}`, ""))
	got := feed(v, text, ev(chunkOf(callsDelta(tc("0", "s", SendMessage, "{")), "")))
	got += string(v.Rest([]byte("data: {\"half")))
	state := v.Answer().State()
	if got += string(v.End(true)); got != text+"data: {\"half" || state != Incomplete {
		t.Errorf("got %s, %v", got, state)
	}
}

func TestCase33ChoicesPassUntouched(t *testing.T) {
	events := []string{
		ev(`{"choices":[{"index":1,"delta":{"tool_calls":[` + tc("0", "b", SendMessage, "{}") + `]}}]}`),
		ev(`{"choices":[{"index":0,"delta":{"tool_calls":[` + tc("0", "a", SendMessage, "{}") + `]}}]}`),
		ev(`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`),
		ev(`{"choices":[{"index":1,"delta":{},"finish_reason":"tool_calls"}]}`),
		doneEvent,
	}
	v := NewView(ViewConfig{Own: ours})
	if got := feed(v, events...) + string(v.End(true)); got != strings.Join(events, "") {
		t.Errorf("got %s", got)
	}
}

func TestInterrupt(t *testing.T) {
	v := NewView(ViewConfig{Own: ours, Shape: NewShape("s", "m1")})
	text := ev(chunkOf(`{"role":"assistant","content":"a"}`, ""))
	got := feed(v, text, ev(chunkOf(callsDelta(tc("0", "c", "-", "{")), ""))) + string(v.Interrupt())
	if want := text + ev(chunkOf(`{}`, "stop")) + doneEvent; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	v = NewView(ViewConfig{Own: ours, Shape: NewShape("s", "m1")})
	c := read(t, string(v.Interrupt()))
	if c.Roles != 1 || !c.Done || len(c.Finishes) != 1 || c.IDs[0] != NewShape("s", "").ID {
		t.Errorf("before the first chunk: %+v", c)
	}
}

func TestPrelude(t *testing.T) {
	v := NewView(ViewConfig{Own: ours, Shape: NewShape("s", "m1")})
	out := string(v.Prelude([][]byte{[]byte(`{"role":"assistant","content":"a\u00e9"}`), []byte(`{"role":"assistant","content":null}`), []byte(`{"role":"assistant","content":"b"}`)}))
	out += feed(v, ev(chunkOf(`{"role":"assistant","content":"c"}`, "")), ev(chunkOf(`{}`, "stop")), doneEvent) + string(v.End(true))
	c := read(t, out)
	if c.Text != "aébc" || c.Roles != 1 || !c.Done {
		t.Errorf("%+v", c)
	}
	for _, id := range c.IDs {
		if id != c.IDs[0] {
			t.Errorf("ids %v", c.IDs)
		}
	}
	if out := v.Prelude([][]byte{[]byte(`{"role":"assistant","content":null}`)}); out != nil {
		t.Errorf("a prelude that says nothing: %s", out)
	}
}
