package proxy_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"trunkline/proxy"
)

// noncePrompt is a system prompt that opens with a line drawn anew for each request.
func noncePrompt(nonce string) string {
	return "x-vendor-billing: v=1; n=" + nonce + ";" + strings.Repeat("Constant text. ", 20<<10/15)
}

// TestCase06: a nonce goes up untouched, and is reported with where it starts and after how
// many bytes the prompt is constant again.
func TestCase06(t *testing.T) {
	for _, provider := range []string{"generic", "vllm", "sim"} {
		t.Run(provider, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				steps := make(chan proxy.StepInfo, 3)
				e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps), profile(t, provider))
				var items []string
				for i, nonce := range []string{"aa01", "bb02", "cc03"} {
					items = append(items, prompt(nonce))
					sent := body(noncePrompt(nonce), "", "", items...)
					items = append(items, assistant("yes"))
					a := e.post(sent, who...).ok(t)
					info := <-steps
					if got := string(e.sent()[i].body); got != sent {
						t.Errorf("request %d: %d bytes went up in other bytes", i+1, len(sent))
					}
					if i == 0 {
						continue
					}
					within := len(`{"role":"system","content":"x-vendor-billing: v=1; n=`)
					if b := info.Break; a.Header.Get("X-Prefix-Break") != "nonce" || b.Segment != "system" || b.Item != 0 || b.Within != within || b.Changed != len(nonce) {
						t.Errorf("request %d: %s, %+v; want a nonce %d bytes into system message 0, %d long", i+1, a.Header.Get("X-Prefix-Break"), b, within, len(nonce))
					}
					if want := proxy.RelationContinuation; who != nil && info.Relation != want {
						t.Errorf("request %d is a %s, want %s", i+1, info.Relation, want)
					}
				}
			})
		})
	}
}

// TestCase06Agent: the nonce hides neither whose conversation the request is nor what waits
// for the agent; its explanation tells the place.
func TestCase06Agent(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
	e.post(body(noncePrompt("aa01"), "", "", prompt("1")), "X-Agent-Id", "root").ok(t)
	fork := []string{"X-Agent-Id", "kid", "X-Agent-Parent-Id", "root"}
	e.post(body("", "", "", prompt("task")), fork...).ok(t) // its notice waits for the root
	e.post(body(noncePrompt("bb02"), "", "", prompt("1"), assistant("yes"), prompt("2")), "X-Agent-Id", "root").ok(t)
	if got := string(e.sent()[2].body); !strings.Contains(got, "Agent kid settled: completed.") {
		t.Errorf("the notice is not in %s", got[20<<10:])
	}
	if !e.sent()[1].head(t).Equal(e.sent()[0].head(t)) {
		t.Error("the child's head is not its parent's")
	}
	a := e.send(e.request("GET", "/agents/root/prefix", http.NoBody)).ok(t)
	var found struct {
		Break struct {
			Cause, Segment string
			Item           int
			Within         int `json:"within_bytes"`
			Changed        int `json:"changed_bytes"`
			Path           string
		}
	}
	if err := json.Unmarshal([]byte(a.body), &found); err != nil {
		t.Fatal(err)
	}
	if b := found.Break; b.Cause != "nonce" || b.Segment != "system" || b.Item != 0 || b.Within != 53 || b.Changed != 4 {
		t.Errorf("explained as %s", a.body)
	}
}

// TestCase06Twice: a nonce at the start and a clock at the end of the same prompt hide the
// conversation no more than one of them does.
func TestCase06Twice(t *testing.T) {
	steps := make(chan proxy.StepInfo, 4)
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
	var items []string
	for i, nonce := range []string{"aa01", "bb02", "cc03", "dd04"} {
		items = append(items, prompt(nonce))
		e.post(body(noncePrompt(nonce)+"Now: 10:0"+nonce[3:], "", "", items...), "X-Agent-Id", "root").ok(t)
		items = append(items, assistant("yes"))
		if info := <-steps; i > 0 && info.Relation != proxy.RelationContinuation {
			t.Errorf("request %d is a %s, want a continuation", i+1, info.Relation)
		}
	}
}
