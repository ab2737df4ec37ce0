package proxy_test

import (
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
)

// TestAnAnswerOfAnyFormWarmsItsPrompt: whoever repeats a request that was answered can
// expect its prefix to be warm, however the provider spaces its JSON, and also where there
// is nothing in the answer.
func TestAnAnswerOfAnyFormWarmsItsPrompt(t *testing.T) {
	spaced := strings.NewReplacer(`":`, `": `, `,"`, `, "`)
	said := delta(`{"role":"assistant","content":""}`, "") + delta(`{"content":"yes"}`, "")
	end := delta(`{}`, "stop") + usage(3000, 0) + done
	whole := answers(assistant("yes"), "stop", `,"usage":{"prompt_tokens":3000,"completion_tokens":1}`)
	for name, answer := range map[string]string{
		"stream":                 said + end,
		"spaced stream":          spaced.Replace(said + end),
		"stream without a text":  delta(`{"role":"assistant","content":""}`, "") + end,
		"stream without finish":  said + usage(3000, 0) + done,
		"whole":                  whole,
		"spaced whole":           spaced.Replace(whole),
		"whole without a text":   strings.Replace(whole, `"yes"`, `""`, 1),
		"text of several pieces": said + delta(`{"content":"."}`, "") + end,
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				ask, provider := askStream, stream(answer)
				if strings.Contains(name, "whole") {
					ask, provider = `{"model":"m1","messages":[{"role":"user","content":"hi"}]}`, reply(200, "application/json", answer)
				}
				ask = strings.Replace(ask, "hi", strings.Repeat("long ", 3000), 1)
				steps := make(chan proxy.StepInfo, 1)
				e := newEdge(t, provider, measuring(steps))
				e.post(ask, who...).ok(t)
				<-steps
				e.post(ask, who...).ok(t)
				if again := <-steps; again.Reuse.Expected < 2900 || again.Usage.Prompt != prefix.Tokens(3000) {
					t.Errorf("expected %d tokens of %v, want nearly all of 3000", again.Reuse.Expected, again.Usage.Prompt)
				}
			})
		})
	}
}

// TestTheFirstTokenIsTheModels: events that repeat the request before the model has said
// anything are no first token, whatever names they hold.
func TestTheFirstTokenIsTheModels(t *testing.T) {
	const request = `{"id":"r","model":"m1","tools":[{"type":"function","name":"pick"}],"output":[]`
	created := "event: response.created\n" + `data: {"type":"response.created","response":` + request + "}}\n\n"
	completed := `data: {"type":"response.completed","response":` + request + `,"usage":{"input_tokens":9}}}` + "\n\n"
	steps := make(chan proxy.StepInfo, 1)
	e := newEdge(t, stream(created, completed), measuring(steps))
	e.send(e.request("POST", "/v1/responses", strings.NewReader(`{"model":"m1","stream":true,"input":"hi"}`))).ok(t)
	if info := <-steps; info.TTFT != 0 || !info.Completed {
		t.Errorf("a first token after %v, completed %v", info.TTFT, info.Completed)
	}
}
