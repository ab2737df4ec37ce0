package proxy_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/proxy"
	"trunkline/proxy/keys"
)

// withKeys asks clients for the keys of a file that holds text.
func withKeys(t *testing.T, text string) func(*proxy.Config) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ring, err := keys.Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return func(c *proxy.Config) { c.Keys, c.UpstreamKey = ring, "sk-common" }
}

const keyFile = `
keys:
  - {key: key-a, tenant: a, upstream_key: sk-a}
  - {key: key-b, tenant: b}
  - {key: key-agents, tenant: a, scopes: [agents]}
  - {key: key-admin, tenant: a, scopes: [admin]}
`

// okay is a provider that is content with everything.
func okay(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"fine"},"finish_reason":"stop"}]}`)
}

const hello = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`

// The client's key stays here; the provider's key goes up in the header that the client's
// came in.
func TestUpstreamKeyTakesThePlace(t *testing.T) {
	e := newEdge(t, okay, withKeys(t, keyFile))
	for _, c := range []struct{ header, value, want string }{
		{"Authorization", "Bearer key-a", "Bearer sk-a"},
		{"Authorization", "bearer key-b", "Bearer sk-common"},
		{"Authorization", "Bearer key-admin", "Bearer sk-common"},
		{"X-Api-Key", "key-a", "sk-a"},
		{"Api-Key", "key-b", "sk-common"},
	} {
		for _, path := range []string{chat, "/v1/models?limit=2", "/v1/messages"} {
			a := e.send(e.request("POST", path, strings.NewReader(hello), c.header, c.value))
			if a.err != nil || a.StatusCode != 200 {
				t.Fatalf("%s %s: %v %s", c.value, path, a.err, a.body)
			}
			for _, name := range []string{"Authorization", "Api-Key", "X-Api-Key"} {
				want := ""
				if name == c.header {
					want = c.want
				}
				up := e.sent()
				if got := up[len(up)-1].header.Get(name); got != want {
					t.Errorf("%s: %s: %s went up as %q, want %q", path, name, c.value, got, want)
				}
			}
		}
	}
}

// Who has no right gets an error that OpenAI clients read, and nothing goes upstream.
func TestKeyIsAskedFor(t *testing.T) {
	e := newEdge(t, okay, withKeys(t, keyFile))
	for _, c := range []struct {
		header, value string
		status        int
		code          string
	}{
		{"X-Nothing", "x", 401, "missing_api_key"},
		{"Authorization", "Bearer key-c", 401, "invalid_api_key"},
		{"Authorization", "Bearer sk-a", 401, "invalid_api_key"},
		{"Authorization", "Bearer ", 401, "invalid_api_key"},
		{"Authorization", "key-a", 401, "invalid_api_key"},
		{"Authorization", "Basic a2V5LWE6", 401, "invalid_api_key"},
		{"X-Api-Key", "Bearer key-a", 401, "invalid_api_key"},
		{"Authorization", "Bearer key-agents", 403, "missing_scope"},
	} {
		for _, r := range []*http.Request{
			e.request("POST", chat, strings.NewReader(hello), c.header, c.value),
			e.request("POST", chat, strings.NewReader(hello), c.header, c.value, "X-Agent-Id", "one"),
			e.request("GET", "/v1/models", nil, c.header, c.value),
			e.request("GET", "/agents%2F..%2Fv1/models", nil, c.header, c.value),
			e.request("OPTIONS", "/v1/files", nil, c.header, c.value),
		} {
			a := e.send(r)
			if a.err != nil {
				t.Fatal(a.err)
			}
			var shape struct {
				Error struct{ Message, Type, Param, Code string }
			}
			if err := json.Unmarshal([]byte(a.body), &shape); err != nil {
				t.Fatalf("%s %s: %v: %s", r.Method, r.URL, err, a.body)
			}
			if a.StatusCode != c.status || shape.Error.Code != c.code || shape.Error.Type != "trunkline_error" || a.Header.Get("X-Trunkline-Error") != c.code {
				t.Errorf("%s %s with %s: %s: %d %s, want %d %s", r.Method, r.URL, c.header, c.value, a.StatusCode, a.body, c.status, c.code)
			}
			if got := a.Header.Get("WWW-Authenticate"); (got != "") != (c.status == 401) {
				t.Errorf("WWW-Authenticate: %q with status %d", got, a.StatusCode)
			}
			if len(c.value) > 8 && strings.Contains(a.body, c.value[7:]) {
				t.Errorf("the answer repeats the key: %s", a.body)
			}
		}
	}
	if n := len(e.sent()); n > 0 {
		t.Errorf("%d requests went upstream", n)
	}
}

func TestHealthNeedsNoKey(t *testing.T) {
	e := newEdge(t, okay, withKeys(t, keyFile), func(c *proxy.Config) {
		c.Metrics = http.HandlerFunc(okay)
	})
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if a := e.send(e.request("GET", path, nil)); a.err != nil || a.StatusCode != 200 {
			t.Errorf("%s: %v %s", path, a.err, a.body)
		}
	}
	if a := e.send(e.request("POST", "/metrics", nil)); a.err != nil || a.StatusCode != 401 {
		t.Errorf("POST /metrics, which is the provider's: %v %s", a.err, a.body)
	}
}

// Another tenant's agent is as unknown as none: same status, same answer. And its id is
// free.
func TestTenantsDoNotMeet(t *testing.T) {
	e := newEdge(t, okay, withKeys(t, keyFile))
	ask := func(key, id, parent string) answer {
		t.Helper()
		r := e.request("POST", chat, strings.NewReader(hello), "Authorization", "Bearer "+key, "X-Agent-Id", id)
		if parent != "" {
			r.Header.Set("X-Agent-Parent-Id", parent)
		}
		a := e.send(r)
		if a.err != nil {
			t.Fatal(a.err)
		}
		return a
	}
	if a := ask("key-a", "root", ""); a.StatusCode != 200 {
		t.Fatal(a.body)
	}
	other, none := ask("key-b", "child", "root"), ask("key-b", "child", "nobody")
	if other.StatusCode != 404 || none.StatusCode != 404 || other.body != none.body {
		t.Errorf("another tenant's parent: %d %s; none: %d %s", other.StatusCode, other.body, none.StatusCode, none.body)
	}
	// The same id with the same history is a new agent, and nothing is said to be shared.
	a := ask("key-b", "root", "")
	if a.StatusCode != 200 || a.Header.Get("X-Agent-Turn") != "1" || a.Header.Get("X-Prefix-Shared-Bytes") != "0" {
		t.Errorf("b's own root: %d, turn %s, shares %s bytes", a.StatusCode, a.Header.Get("X-Agent-Turn"), a.Header.Get("X-Prefix-Shared-Bytes"))
	}
	// Two keys of one tenant share its agents: this is the same request again.
	if again := ask("key-admin", "root", ""); again.Header.Get("X-Prefix-Shared-Bytes") == "0" {
		t.Errorf("a's second key shares nothing: %v", again.Header)
	}
}

func TestScopes(t *testing.T) {
	e := newEdge(t, okay, withKeys(t, keyFile))
	for _, c := range []struct {
		method, path         string
		model, agents, admin int
	}{
		{"POST", chat, 200, 403, 200},
		{"GET", "/v1/models", 200, 403, 200},
		{"GET", "/agents", 403, 200, 200},
		{"GET", "/agents/nobody", 403, 404, 404},
		{"DELETE", "/agents/nobody", 403, 204, 204},
		{"GET", "/agents/below/nothing", 403, 404, 404},
		{"GET", "/status", 403, 403, 200},
	} {
		for key, want := range map[string]int{"key-a": c.model, "key-agents": c.agents, "key-admin": c.admin, "none": 401} {
			a := e.send(e.request(c.method, c.path, strings.NewReader(hello), "Authorization", "Bearer "+key, "Content-Type", "application/json"))
			if a.err != nil || a.StatusCode != want {
				t.Errorf("%s %s with %s: %d %s (%v), want %d", c.method, c.path, key, a.StatusCode, a.body, a.err, want)
			}
		}
	}
}
