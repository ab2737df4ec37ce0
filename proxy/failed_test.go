package proxy_test

import (
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
)

// TestAnErrorInsteadOfAnAnswerIsNoSample: an error that a provider sends with status 200
// passes as it came, is counted as the provider's, and says nothing about reuse, whatever
// usage stands beside it.
func TestAnErrorInsteadOfAnAnswerIsNoSample(t *testing.T) {
	const tools = `"tools":[{"type":"function","name":"pick"}]`
	for name, c := range map[string]struct{ path, body, answer string }{
		"event, then the end":   {chat, askStream, delta(`{"role":"assistant","content":""}`, "") + `data: {"error":{"message":"busy"},"choices":[]}` + "\n\n" + done},
		"event with usage":      {chat, askStream, `data: {"error":{"message":"busy"},"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0}}` + "\n\n" + done},
		"named event":           {chat, askStream, "event: error\ndata: {\"message\":\"busy\"}\n\n" + done},
		"whole":                 {chat, ask, `{"error":{"message":"busy"},"usage":{"prompt_tokens":3}}`},
		"whole for a stream":    {chat, askStream, `{"error": {"message": "busy"}}`},
		"of Responses":          {"/v1/responses", `{"model":"m1","stream":true,"input":"hi"}`, `data: {"type":"response.failed","response":{"error":{"code":"x"},` + tools + `,"usage":{"input_tokens":3}}}` + "\n\n"},
		"of Responses, whole":   {"/v1/responses", `{"model":"m1","input":"hi"}`, `{"status":"failed","error":{"code":"x"},` + tools + `,"usage":{"input_tokens":3}}`},
		"of Messages":           {"/v1/messages", `{"model":"m1","stream":true,"messages":[{"role":"user","content":"hi"}]}`, `data: {"type":"error","error":{"type":"overloaded_error"}}` + "\n\n"},
		"of Messages, in whole": {"/v1/messages", `{"model":"m1","messages":[{"role":"user","content":"hi"}]}`, `{"type":"error","error":{"type":"overloaded_error"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				provider := reply(200, "application/json", c.answer)
				if !strings.HasPrefix(c.answer, "{") {
					provider = stream(c.answer)
				}
				steps := make(chan proxy.StepInfo, 1)
				e := newEdge(t, provider, measuring(steps), func(c *proxy.Config) { c.AskUsage = proxy.AskAll })
				if a := e.send(e.request("POST", c.path, strings.NewReader(c.body), who...)); a.body != c.answer {
					t.Errorf("the client got\n%s", a.body)
				}
				if info := <-steps; info.Completed || info.Usage != (prefix.Usage{}) || info.Reuse.Prompt != 0 {
					t.Errorf("counted: completed %v, usage %+v, account %+v", info.Completed, info.Usage, info.Reuse)
				}
				if outcome := (<-e.ended).Outcome; outcome != proxy.OutcomeProvider {
					t.Errorf("the outcome is %q", outcome)
				}
			})
		})
	}
}
