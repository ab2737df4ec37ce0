package proxy_test

import (
	"net/http"
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

// TestWhateverTheModelSaysIsAFirstToken: thoughts and refusals are read from the prompt like
// any text, under whichever name an API has them.
func TestWhateverTheModelSaysIsAFirstToken(t *testing.T) {
	for name, event := range map[string]string{
		"a thought of Messages": `data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}` + "\n\n",
		"a thought":             delta(`{"reasoning_content":"hm"}`, ""),
		"a refusal":             delta(`{"refusal":"no"}`, ""),
	} {
		steps := make(chan proxy.StepInfo, 1)
		e := newEdge(t, stream(event, done), measuring(steps))
		e.post(askStream).ok(t)
		if info := <-steps; info.TTFT == 0 {
			t.Errorf("%s is no first token", name)
		}
	}
}

// TestARefusedRequestWarmsNothing: what a provider says of a request that it did not take is
// no answer to it, also where it repeats the request's own texts.
func TestARefusedRequestWarmsNothing(t *testing.T) {
	for name, refusal := range map[string]http.HandlerFunc{
		"by its status":        reply(422, "application/json", `{"detail":[{"input":{"messages":[{"role":"user","content":"hi"}]}}]}`),
		"by an error":          reply(200, "application/json", `{"error":{"message":"busy","name":"Overloaded"}}`),
		"by an error's status": reply(400, "application/json", `{"error":{"message":"no","name":"Invalid"}}`),
		"by an event":          stream(`data: {"error":{"message":"busy","name":"Overloaded"}}`+"\n\n", done),
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				ask := strings.Replace(askStream, "hi", strings.Repeat("long ", 3000), 1)
				steps, asked := make(chan proxy.StepInfo, 1), 0
				e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
					if asked++; asked == 1 {
						refusal(w, r)
						return
					}
					stream(append(said("yes"), usage(3000, 0))...)(w, r)
				}, measuring(steps))
				e.post(ask, who...)
				if info := <-steps; info.TTFT != 0 || info.Completed {
					t.Errorf("a first token after %v, completed %v", info.TTFT, info.Completed)
				}
				e.post(ask, who...).ok(t)
				if again := <-steps; again.Reuse.Expected != 0 {
					t.Errorf("expected %d tokens of a prompt that was never read", again.Reuse.Expected)
				}
			})
		})
	}
}
