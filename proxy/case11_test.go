package proxy_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// relatives lets agents of one tenant go through everything by which the proxy edits a body: a
// call of its own, a fork with guidance, and a message and a notice that are inserted. It
// returns what went up.
func relatives(t *testing.T, e *edge, tenant string) []received {
	t.Helper()
	before := len(e.sent())
	key := []string{"Authorization", "Bearer " + tenant}
	root, kid := append(key, "X-Agent-Id", "root"), append(slices.Clone(key), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root")
	e.post(body("s", tool("pick"), `,"stream":true`, prompt("list them")), root...).ok(t)
	e.post(body("", "", `,"stream":true`, prompt("tell root")), kid...).ok(t)
	e.post(body("s", tool("pick"), `,"stream":true`, prompt("list them"), assistant("yes"), prompt("go on")), root...).ok(t)
	return e.sent()[before:]
}

// familyModel answers relatives. It gives every call the same id, or none at all.
func familyModel(id string) http.HandlerFunc {
	call := func(name, arguments string) http.HandlerFunc {
		return stream(delta(calls(`{"index":0,`+id+`"type":"function","function":{"name":"`+name+`","arguments":"`+arguments+`"}}`), "tool_calls"), done)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		last := string(raw[strings.LastIndex(string(raw), `{"role":`):])
		switch {
		case strings.Contains(last, "list them"):
			call("list_agents", "{}")(w, r)
		case strings.Contains(last, "tell root"):
			call("send_message", `{\"agent_id\":\"root\",\"message\":\"done\"}`)(w, r)
		default:
			stream(said("yes")...)(w, r)
		}
	}
}

// TestCase11: whatever the proxy mints is the same for the same requests: ids, texts and
// their places. (It is the 200-times test of all edits as well: case 1.)
func TestCase11(t *testing.T) {
	for name, id := range map[string]string{"with an id": `"id":"c1",`, "without an id": ``, "with an empty id": `"id":"",`} {
		t.Run(name, func(t *testing.T) {
			times := 200
			if name != "with an id" || testing.Short() {
				times = 5
			}
			e := newEdge(t, familyModel(id), withTools)
			first := relatives(t, e, "t")
			if all := string(first[len(first)-1].body); len(first) != 5 || !strings.Contains(all, "Agent kid sent a message:") || !strings.Contains(all, "Agent kid settled") {
				t.Fatalf("%d requests went up, the last as %s", len(first), all)
			}
			for i := range times {
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
