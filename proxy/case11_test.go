package proxy_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trunkline/proxy"
)

// relatives lets agents of one tenant go through everything by which the proxy edits a body: a
// call of its own, a fork with guidance, a message and a notice that are inserted, tools in
// another order, and calls of both sides, of which the client's return. It returns what went up.
func relatives(t *testing.T, e *edge, tenant string) []received {
	t.Helper()
	before := len(e.sent())
	key := []string{"Authorization", "Bearer " + tenant}
	root, kid := append(key, "X-Agent-Id", "root"), append(slices.Clone(key), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root")
	list, reordered := tool("pick")+","+tool("scan"), tool("scan")+","+tool("pick")
	const ask = `,"model":"gpt-6","stream":true`
	post := func(head, tools string, who []string, items ...string) {
		e.post(strings.Replace(body(head, tools, ask, items...), `"model":"m1",`, "", 1), who...).ok(t)
	}
	history := []string{prompt("list them")}
	post("s", list, root, history...)
	post("", "", kid, prompt("tell root"))
	history = append(history, assistant("yes"), prompt("call both"))
	post("s", reordered, root, history...)
	history = append(history, calling("p", "pick", "{}"), result("p", "picked"))
	post("s", list, root, history...)
	return e.sent()[before:]
}

// familyModel answers relatives. It gives every call of a tool of the proxy's the same id, or
// none at all.
func familyModel(id string) http.HandlerFunc {
	call := func(name, arguments string, more ...string) http.HandlerFunc {
		entry := `{"index":0,` + id + `"type":"function","function":{"name":"` + name + `","arguments":"` + arguments + `"}}`
		return stream(delta(calls(strings.Join(append([]string{entry}, more...), ",")), "tool_calls"), done)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		last := string(raw[strings.LastIndex(string(raw), `{"role":`):])
		switch {
		case strings.Contains(last, "list them"):
			call("list_agents", "{}")(w, r)
		case strings.Contains(last, "tell root"):
			call("send_message", `{\"agent_id\":\"root\",\"message\":\"done\"}`)(w, r)
		case strings.Contains(last, "call both"):
			call("list_agents", "{}", `{"index":1,"id":"p","type":"function","function":{"name":"pick","arguments":"{}"}}`)(w, r)
		default:
			stream(said("yes")...)(w, r)
		}
	}
}

// TestCase11: whatever the proxy mints is the same for the same requests: ids, texts and
// their places. (It is the 200-times test of all edits as well: case 1.)
func TestCase11(t *testing.T) {
	const id = `"id":"c1",`
	usage := func(c *proxy.Config) { c.AskUsage = proxy.AskIdentified }
	for name, c := range map[string]struct {
		id     string
		times  int
		change []func(*proxy.Config)
	}{
		"with an id":        {id, 200, nil},
		"without an id":     {``, 5, nil},
		"with an empty id":  {`"id":"",`, 5, nil},
		"asked for usage":   {id, 20, []func(*proxy.Config){usage}},
		"at breakpoints":    {id, 20, []func(*proxy.Config){profile(t, "openai"), breakpoints}},
		"alternating roles": {id, 20, []func(*proxy.Config){profile(t, "vllm-alternating")}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, familyModel(c.id), append(c.change, withTools)...)
			first := relatives(t, e, "t")
			if all := string(first[len(first)-1].body); len(first) != 6 || !strings.Contains(all, "Agent kid sent a message:") || !strings.Contains(all, "Agent kid settled") ||
				strings.Count(all, "list_agents") != 3 || strings.Contains(all, "prompt_cache_breakpoint") != (name == "at breakpoints") {
				t.Fatalf("%d requests went up, the last as %s", len(first), all)
			}
			for i := range c.times {
				for n, r := range relatives(t, e, fmt.Sprint("t", i)) {
					if sha256.Sum256(r.body) != sha256.Sum256(first[n].body) {
						t.Fatalf("request %d went up as\n%s\nwith tenant %d\n%s", n, first[n].body, i, r.body)
					}
				}
			}
		})
	}
}

// TestCase11Retry: a retry of a request whose answer broke off sends what went up before.
func TestCase11Retry(t *testing.T) {
	e := newEdge(t, script(abort(stream(delta(`{"role":"assistant","content":"ye"}`, ""))), stream(said("yes")...)), withTools)
	sent := body("s", tool("pick"), `,"stream":true`, prompt("1"))
	if a := e.post(sent, "X-Agent-Id", "a"); a.err == nil {
		t.Fatalf("the broken answer is %s", a.body)
	}
	e.post(sent, "X-Agent-Id", "a").ok(t)
	if got := e.sent(); string(got[0].body) != string(got[1].body) {
		t.Errorf("the retry went up as\n%s\nafter\n%s", got[1].body, got[0].body)
	}
}
