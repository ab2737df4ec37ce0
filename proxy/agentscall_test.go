package proxy_test

import (
	"encoding/json"
	"strings"
)

// call makes a call of the agents API. A body is JSON.
func (e *edge) call(method, path, body string, headers ...string) answer {
	e.t.Helper()
	if body != "" {
		headers = append([]string{"Content-Type", "application/json"}, headers...)
	}
	a := e.send(e.request(method, path, strings.NewReader(body), headers...))
	if a.err != nil {
		e.t.Fatal(a.err)
	}
	return a
}

// must makes a call that has to succeed with a status, and reads its answer.
func (e *edge) must(status int, method, path, body string, headers ...string) map[string]any {
	e.t.Helper()
	a := e.call(method, path, body, headers...)
	if a.StatusCode != status {
		e.t.Fatalf("%s %s %s: %s %s, want %d", method, path, body, a.Status, a.body, status)
	}
	out := map[string]any{}
	if a.body != "" {
		if err := json.Unmarshal([]byte(a.body), &out); err != nil {
			e.t.Fatalf("%s %s: %v in %s", method, path, err, a.body)
		}
	}
	return out
}

// turn has an agent take one whole turn with the provider.
func (e *edge) turn(id string, headers ...string) {
	e.t.Helper()
	a := e.post(hello, append([]string{"X-Agent-Id", id}, headers...)...)
	if a.err != nil || a.StatusCode != 200 {
		e.t.Fatalf("a turn of %s: %v %s", id, a.err, a.body)
	}
}
