package proxy_test

import (
	"strings"
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
	"trunkline/proxy"
)

// Whichever call of the store fails, an answer is whole and ends cleanly, or does not look
// whole: a failure behind its end is no failure of the client's.
func TestStoreFailsAtAnyCall(t *testing.T) {
	for _, form := range []struct{ body, kind, answer, whole string }{
		{`{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "application/json",
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"ho"},"finish_reason":"stop"}]}`, `"ho"`},
		{`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`, "text/event-stream",
			`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"ho"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n", "[DONE]"},
	} {
		for n, done := 1, false; !done; n++ {
			var store *storetest.Failing
			e := newEdge(t, reply(200, form.kind, form.answer), func(c *proxy.Config) {
				store = storetest.NewFailing(c.Agents.Store, n, storetest.Fault{Stays: true})
				c.Agents = agents.New(agents.Config{Store: store, Holder: "test"})
			})
			a := e.post(form.body, "X-Agent-Id", "root")
			switch whole := strings.Contains(a.body, form.whole); {
			case whole && a.err != nil:
				t.Errorf("%s: call %d fails, and a whole answer ends with %v", form.kind, n, a.err)
			case !whole && a.err == nil && a.StatusCode != 503 && !strings.Contains(a.body, `"store_unavailable"`):
				t.Errorf("%s: call %d fails, and the client reads %d %q", form.kind, n, a.StatusCode, a.body)
			}
			done = store.Calls() < n
		}
	}
}
