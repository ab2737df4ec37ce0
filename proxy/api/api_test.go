package api_test

import (
	"fmt"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestAPIRefuses tries what each call does not take. The proxy's own error says so, in the
// shape that OpenAI clients read.
func TestAPIRefuses(t *testing.T) {
	e := newEdge(t, okay)
	e.turn("r")
	e.must(201, "POST", "/agents", `{"id":"c","parent_id":"r"}`)
	e.must(201, "POST", "/agents", `{"id":"o","parent_id":"r","kind":"one-shot"}`)
	e.must(201, "POST", "/agents", `{"id":"g","parent_id":"c"}`)
	const json = "application/json"
	for _, c := range []struct {
		method, path, body, kind string
		status                   int
		code, says               string
	}{
		{"GET", "/agents/x", "", "", 404, "unknown_agent", ""},
		{"GET", "/agents/x%20y", "", "", 404, "unknown_agent", ""},
		{"GET", "/agents/r/children", "", "", 404, "unknown_path", "/agents/r/children"},
		{"GET", "/agents/", "", "", 404, "unknown_path", ""},
		{"PUT", "/agents/r", "{}", json, 405, "method_not_allowed", "DELETE and GET"},
		{"DELETE", "/agents", "", "", 405, "method_not_allowed", "GET and POST"},
		{"POST", "/agents", "{}", "text/plain", 415, "not_json", "Content-Type"},
		{"POST", "/agents/r/interrupt", "", "", 415, "not_json", ""},

		{"POST", "/agents", `{`, json, 400, "invalid_json", ""},
		{"POST", "/agents", `[]`, json, 400, "invalid_json", ""},
		{"POST", "/agents", `{"id":"a","id":"b"}`, json, 400, "duplicate_key", ""},
		{"POST", "/agents", `{"Id":"a"}`, json, 400, "invalid_request", "Id: is not an argument"},
		{"POST", "/agents", `{"id":7}`, json, 400, "invalid_request", "id: want a string, got a number"},
		{"POST", "/agents", `{"id":"a b"}`, json, 400, "invalid_request", "id: "},
		{"POST", "/agents", `{"id":"a","parent_id":"a"}`, json, 400, "invalid_request", "its own parent"},
		{"POST", "/agents", `{"id":"a","parent_id":"x"}`, json, 404, "unknown_parent", "parent_id"},
		{"POST", "/agents", `{"id":"a","mode":"fork"}`, json, 400, "invalid_request", "mode: a root has none"},
		{"POST", "/agents", `{"id":"a","parent_id":"r","mode":"copy"}`, json, 400, "invalid_request", "mode: is fork or spawn"},
		{"POST", "/agents", `{"id":"a","kind":"both"}`, json, 400, "invalid_request", "kind"},
		{"POST", "/agents", `{"id":"a","notify":"later"}`, json, 400, "invalid_request", "notify"},
		{"POST", "/agents", `{"id":"a","driver":"hosted"}`, json, 400, "invalid_request", "driver: hosted agents are not served"},
		{"POST", "/agents", `{"id":"a","task":"t"}`, json, 400, "invalid_request", "task"},
		{"POST", "/agents", `{"id":"a","model":"m"}`, json, 400, "invalid_request", "model"},
		{"POST", "/agents", `{"id":"a","label":"two\nlines"}`, json, 400, "invalid_request", "label"},
		{"POST", "/agents", `{"id":"a","tools":{"allow":[]}}`, json, 400, "invalid_request", "tools"},

		{"GET", "/agents?parents=r", "", "", 400, "invalid_request", "parents"},
		{"GET", "/agents?root=r&root=r", "", "", 400, "invalid_request", "more than once"},
		{"GET", "/agents?limit=0", "", "", 400, "invalid_request", "from 1 to 1000"},
		{"GET", "/agents?limit=1001", "", "", 400, "invalid_request", "from 1 to 1000"},
		{"GET", "/agents?scope=all", "", "", 400, "invalid_request", "children or descendants"},
		{"GET", "/agents?cursor=r", "", "", 400, "invalid_request", "cursor"},
		{"GET", "/agents?parent=x", "", "", 404, "unknown_agent", ""},
		{"GET", "/agents?root=c", "", "", 404, "unknown_agent", ""},

		{"POST", "/agents/c/messages", `{"message":"m"}`, json, 400, "invalid_request", "from: is missing"},
		{"POST", "/agents/c/messages", `{"from":"r"}`, json, 400, "invalid_request", "message: is missing"},
		{"POST", "/agents/c/messages", `{"from":"r","message":"m","to":"c"}`, json, 400, "invalid_request", "to"},
		{"POST", "/agents/r/messages", `{"from":"r","message":"m"}`, json, 403, "not_permitted", "itself"},
		{"POST", "/agents/g/messages", `{"from":"r","message":"m"}`, json, 403, "not_permitted", "neither your parent nor"},
		{"POST", "/agents/o/messages", `{"from":"r","message":"m"}`, json, 403, "not_permitted", "one-shot"},
		{"POST", "/agents/c/messages", `{"from":"x","message":"m"}`, json, 404, "unknown_agent", "from"},
		{"POST", "/agents/cc/messages", `{"from":"r","message":"m"}`, json, 404, "unknown_agent", "did you mean c"},
		{"POST", "/agents/r/messages", `{"from":"c","message":"m"}`, json, 409, "not_live", "c is not live"},
		{"POST", "/agents/c/messages", `{"from":"r","message":"` + strings.Repeat("m", 64<<10+1) + `"}`, json, 413, "too_long", "65537 bytes"},

		{"POST", "/agents/c/prompts", `{"content":"p"}`, json, 409, "client_driven", ""},
		{"POST", "/agents/c/prompts", `{}`, json, 400, "invalid_request", "content"},
		{"POST", "/agents/x/prompts", `{"content":"p"}`, json, 404, "unknown_agent", ""},
		{"POST", "/agents/c/tool_outputs", `{"outputs":[{"tool_call_id":"a","content":"b"}]}`, json, 409, "client_driven", ""},
		{"POST", "/agents/c/tool_outputs", `{"outputs":[{"id":"a"}]}`, json, 400, "invalid_request", "outputs"},
		{"POST", "/agents/x/interrupt", `{}`, json, 404, "unknown_agent", ""},

		{"GET", "/agents/c/wait?after=-1", "", "", 400, "invalid_request", "after"},
		{"GET", "/agents/c/wait?timeout=30", "", "", 400, "invalid_request", "timeout"},
		{"GET", "/agents/c/wait?timeout=5m", "", "", 400, "invalid_request", "timeout"},
		{"GET", "/agents/x/wait", "", "", 404, "unknown_agent", ""},
		{"GET", "/agents/x/events", "", "", 404, "unknown_agent", ""},
		{"GET", "/agents/x/transcript", "", "", 404, "unknown_agent", ""},
		{"GET", "/agents/r/transcript?cursor=a", "", "", 400, "invalid_request", "cursor"},
		{"GET", "/agents/x/prefix", "", "", 404, "unknown_agent", ""},
		{"GET", "/agents/c/prefix", "", "", 404, "not_measured", ""},
	} {
		name := fmt.Sprintf("%s %s %.60s", c.method, c.path, c.body)
		a := e.send(e.request(c.method, c.path, strings.NewReader(c.body), "Content-Type", c.kind))
		if a.err != nil {
			t.Fatalf("%s: %v", name, a.err)
		}
		code, message := apiFailure(t, a)
		if a.StatusCode != c.status || code != c.code || !strings.Contains(message, c.says) {
			t.Errorf("%s: %s %s, want %d %s that says %q", name, a.Status, a.body, c.status, c.code, c.says)
		}
	}
	if got := len(e.sent()); got != 1 {
		t.Errorf("the provider got %d requests, want the turn's alone", got)
	}
}

// A page of a foreign origin reaches the API of a local proxy as little as its models.
func TestAPIIsGuarded(t *testing.T) {
	e := newEdge(t, okay, func(c *proxy.Config) { c.Local = true })
	for _, header := range []string{"Origin", "Host"} {
		r := e.request("GET", "/agents", nil)
		if header == "Host" {
			r.Host = "rebound.example"
		} else {
			r.Header.Set("Origin", "https://evil.example")
		}
		if a := e.send(r); a.StatusCode != 403 {
			t.Errorf("a foreign %s: %s, want 403", header, a.Status)
		}
	}
}

// Keys need the scope agents, and see the agents of their own tenant alone.
func TestAPIKeepsTenantsApart(t *testing.T) {
	e := newEdge(t, okay, withKeys(t, `
keys:
  - {key: key-a, tenant: a, scopes: [model, agents]}
  - {key: key-b, tenant: b, scopes: [agents]}
  - {key: key-agents, tenant: a, scopes: [agents]}
  - {key: key-model, tenant: a, scopes: [model]}
`))
	own, other := []string{"Authorization", "Bearer key-a"}, []string{"Authorization", "Bearer key-b"}
	scoped := []string{"Authorization", "Bearer key-agents"}
	e.must(201, "POST", "/agents", `{"id":"r","label":"own"}`, own...)

	for _, c := range [][2]string{
		{"GET", "/agents/r"}, {"GET", "/agents/r/wait"}, {"GET", "/agents/r/events"}, {"GET", "/agents/r/transcript"},
		{"GET", "/agents/r/prefix"}, {"GET", "/agents?root=r"}, {"GET", "/agents?parent=r"}, {"POST", "/agents/r/interrupt"},
	} {
		body := ""
		if c[0] == "POST" {
			body = "{}"
		}
		theirs := e.call(c[0], c[1], body, other...)
		unknown := e.call(c[0], strings.NewReplacer("/agents/r", "/agents/none", "=r", "=none").Replace(c[1]), body, other...)
		if theirs.StatusCode != 404 || theirs.body != unknown.body {
			t.Errorf("%s %s: %s %s to another tenant, want the answer for an unknown id", c[0], c[1], theirs.Status, theirs.body)
		}
	}
	e.must(204, "DELETE", "/agents/r", "", other...)
	if got := e.must(200, "GET", "/agents", "", other...)["data"]; len(got.([]any)) != 0 {
		t.Errorf("another tenant's list: %v, want nothing", got)
	}
	if got := e.must(200, "GET", "/agents/r", "", scoped...)["label"]; got != "own" {
		t.Errorf("the tenant's agent has the label %v, want own", got)
	}
	if a := e.call("GET", "/agents", "", "Authorization", "Bearer key-model"); a.StatusCode != 403 {
		t.Errorf("a key for models only: %s, want 403", a.Status)
	}
	if a := e.call("GET", "/agents", ""); a.StatusCode != 401 {
		t.Errorf("without a key: %s, want 401", a.Status)
	}
}
