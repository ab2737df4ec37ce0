package proxy_test

import (
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
)

// TestCase29: an error inside a good stream passes as it came and is a failure: nothing that
// it reports is counted, nobody is asked again, and what it was sent is not taken for warm.
func TestCase29(t *testing.T) {
	text := delta(`{"role":"assistant","content":"a"}`, "")
	const usage = `,"usage":{"prompt_tokens":0,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":0}}`
	for name, events := range map[string]string{
		"with empty choices": `data: {"error":{"message":"busy","code":502},"choices":[]` + usage + "}\n\n",
		"without choices":    `data: {"error":{"message":"busy"}` + usage + "}\n\n" + done,
		"named":              "event: error\ndata: {\"message\":\"busy\"}\n\n",
		"behind text":        text + text + text + `data: {"error":{"message":"busy"},"choices":[]` + usage + "}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				steps := make(chan proxy.StepInfo, 2)
				e := newEdge(t, stream(events), measuring(steps))
				for range 2 {
					if a := e.post(askStream, who...); a.err != nil || a.body != events {
						t.Errorf("error %v, the client got %s", a.err, a.body)
					}
					if o := e.outcome(); o != proxy.OutcomeProvider {
						t.Errorf("outcome %s", o)
					}
					if info := <-steps; info.Completed || info.Usage != (prefix.Usage{}) || info.Reuse.Prompt != 0 || info.Reuse.Expected != 0 {
						t.Errorf("counted as completed: %v, %+v, %+v", info.Completed, info.Usage, info.Reuse)
					}
				}
				if n := len(e.sent()); n != 2 {
					t.Errorf("%d requests went up for 2", n)
				}
			})
		})
	}
	t.Run("beside content", func(t *testing.T) {
		everyone(t, func(t *testing.T, who []string) {
			events := `data: {"id":"x1","choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}],"error":{"code":1}}` + "\n\n" + delta(`{}`, "stop") + done
			steps := make(chan proxy.StepInfo, 1)
			e := newEdge(t, stream(events), measuring(steps))
			if a := e.post(askStream, who...).ok(t); a.body != events {
				t.Errorf("the client got %s", a.body)
			}
			if o, info := e.outcome(), <-steps; o != proxy.OutcomeOK || !info.Completed {
				t.Errorf("outcome %s, completed %v", o, info.Completed)
			}
		})
	})
}
