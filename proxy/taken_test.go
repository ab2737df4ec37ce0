package proxy_test

import (
	"net/http"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
)

// TestWhatTheProviderDidNotTakeIsCountedOnce: a request that the provider refuses, by its
// status or by an error in place of an answer, or to which it says nothing, is counted when
// it is repeated: a fork child's head, what was repaired, and where the prompt broke.
func TestWhatTheProviderDidNotTakeIsCountedOnce(t *testing.T) {
	const (
		tool  = `"tools":[{"type":"function","function":{"name":"pick"}}]`
		call  = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"pick","arguments":"{\"a\":1,\"b\":2}"}}]}`
		again = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"pick","arguments":"{\"a\": 1, \"b\": 2}"}}]}`
		first = `{"model":"m1",` + tool + `,"stream":true,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}]}`
		next  = `{"model":"m1",` + tool + `,"stream":true,"messages":[{"role":"system","content":"Be exact."},{"role":"user","content":"hi"},` +
			again + `,{"role":"tool","tool_call_id":"c1","content":"one"}]}`
	)
	yes := stream(said("yes")...)
	for name, refusal := range map[string]http.HandlerFunc{
		"no refusal":       nil,
		"status":           reply(503, "application/json", `{"error":{"message":"busy"}}`),
		"error event":      stream(`data: {"error":{"message":"busy"}}`+"\n\n", done),
		"error in a piece": reply(200, "application/json", `{"error":{"message":"busy"}}`),
		"no event":         stream(),
	} {
		t.Run(name, func(t *testing.T) {
			var heads, breaks int
			repairs := map[string]int{}
			steps := make(chan proxy.StepInfo, 8)
			handlers := []http.HandlerFunc{reply(200, "application/json", answers(call, "tool_calls", ""))}
			for range 2 {
				if refusal != nil {
					handlers = append(handlers, refusal)
				}
				handlers = append(handlers, yes)
			}
			e := newEdge(t, script(handlers...), measuring(steps))
			post := func(body string, who ...string) {
				for range 2 {
					e.post(body, who...)
					i := <-steps
					if !i.Taken {
						continue
					}
					if i.Fork != "" {
						heads++
					}
					if i.Break.Segment == prefix.SegmentSystem {
						breaks++
					}
					for kind, n := range i.Repairs {
						repairs[kind] += n
					}
					return
				}
				t.Error("nothing was taken")
			}
			post(first, "X-Agent-Id", "a")
			post(next, "X-Agent-Id", "a")
			post(`{"model":"m1","stream":true,"messages":[{"role":"user","content":"task"}]}`, "X-Agent-Id", "kid", "X-Agent-Parent-Id", "a")
			if heads != 1 || breaks != 1 || repairs[prefix.RepairAnswerReserialised] != 1 || len(repairs) != 1 {
				t.Errorf("counted %d heads of forks, %d breaks, and repaired %v", heads, breaks, repairs)
			}
		})
	}
}
