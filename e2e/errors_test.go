package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"trunkline/agents/redisstore/redistest"
	"trunkline/e2e/harness"
)

// TestRefused: bad input gets an error in the shape that clients read, which names the
// thing; a header tells it from a provider's, and no provider hears of it.
func TestRefused(t *testing.T) {
	w := &world{t: t, store: "file:" + t.TempDir() + "/agents.db"}
	w.serve(lines{"root": {text("Noted.")}}, "--max-body=64KiB")
	w.root("root").say(t, "note this")
	for name, tt := range map[string]struct {
		id, parent string
		header     map[string]string
		body       string
		status     int
		code       string
		names      string // in the message or as the parameter
	}{
		"a bad id":                {id: "no spaces", status: 400, code: "invalid_header", names: "X-Agent-Id"},
		"a long id":               {id: strings.Repeat("x", 129), status: 400, code: "invalid_header", names: "X-Agent-Id"},
		"a bad parent":            {id: "kid", parent: "no/slash", status: 400, code: "invalid_header", names: "X-Agent-Parent-Id"},
		"its own parent":          {id: "kid", parent: "kid", status: 400, code: "invalid_header", names: "X-Agent-Parent-Id"},
		"an unknown parent":       {id: "kid", parent: "nobody", status: 404, code: "unknown_parent", names: "X-Agent-Parent-Id"},
		"another parent":          {id: "root", parent: "kid", status: 400, code: "agent_mismatch", names: "parent"},
		"a mistyped header":       {id: "kid", header: map[string]string{"X-Agent-Parent": "root"}, status: 400, code: "invalid_header", names: "X-Agent-Parent"},
		"a bad mode":              {id: "kid", parent: "root", header: map[string]string{"X-Agent-Mode": "clone"}, status: 400, code: "invalid_header", names: "fork or spawn"},
		"a mode without a parent": {id: "kid", header: map[string]string{"X-Agent-Mode": "fork"}, status: 400, code: "invalid_header", names: "X-Agent-Parent-Id"},
		"a root as a child":       {id: "root", parent: "kid", status: 400, code: "agent_mismatch", names: "without parent, not with"},
		"a parent without an id":  {header: map[string]string{"X-Agent-Parent-Id": "root"}, status: 400, code: "invalid_header", names: "X-Agent-Id"},
		"no JSON":                 {id: "root", body: `{"model":"m","messages":[nope]}`, status: 400, code: "invalid_json", names: "byte 26"},
		"no JSON, anonymous":      {body: `{"model":"m","messages":[nope]}`, status: 400, code: "invalid_json", names: "byte 26"},
		"an unfinished body":      {body: `{"model":"m"`, status: 400, code: "invalid_json", names: "byte 12"},
		"a repeated key":          {body: `{"model":"m","messages":[],"messag\u0065s":[]}`, status: 400, code: "duplicate_key", names: "messages"},
		"a long body":             {body: `{"x":"` + strings.Repeat("x", 64<<10) + `"}`, status: 413, code: "body_too_large", names: "65536"},
		"an unknown encoding":     {header: map[string]string{"Content-Encoding": "br"}, status: 415, code: "unknown_encoding", names: "br"},
		"a page of another place": {header: map[string]string{"Origin": "https://example.org"}, status: 403, code: "foreign_origin", names: "example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &client{w: w, id: tt.id, parent: tt.parent, header: tt.header}
			if tt.body == "" {
				tt.body = c.user("hello").body()
			}
			response, err := c.postBody(t.Context(), tt.body)
			if err != nil {
				t.Fatal(err)
			}
			a := readAnswer(t, response)
			if a.status != tt.status || a.code != tt.code || !strings.Contains(a.raw, tt.names) {
				t.Errorf("answered %d %s, want %d %s that names %s", a.status, a.raw, tt.status, tt.code, tt.names)
			}
			if !strings.Contains(a.raw, `"type":"trunkline_error"`) || a.header.Get("X-Trunkline-Error") != tt.code {
				t.Errorf("this does not look like the proxy's own error: %v %s", a.header, a.raw)
			}
		})
	}
	if n := w.model.Stats().Requests; n != 1 {
		t.Errorf("the provider heard of %d requests, want the first alone", n)
	}
}

// TestProviderUnreachable: nobody listens where the provider should be.
func TestProviderUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	w := &world{t: t, store: "file:" + t.TempDir() + "/agents.db"}
	w.proxy = proxy.Serve(t, harness.Serve{Upstream: "http://" + address + "/v1", Store: w.store})
	for _, id := range []string{"", "root"} {
		a := w.root(id).user("hello").try(t)
		if a.status != http.StatusBadGateway || a.code != "upstream_unreachable" || !strings.Contains(a.failure, address) {
			t.Errorf("%q is answered %d %s", id, a.status, a.raw)
		}
	}
}

// TestStoreLost: without its store the proxy says so to agents, and goes on for all others.
func TestStoreLost(t *testing.T) {
	redis := harness.StartRedis(t)
	w := &world{t: t, store: redis.URL()}
	w.serve(lines{"root": {text("Noted."), text("Here.")}, "anonymous": {text("Of course.")}})
	root := w.root("root")
	root.say(t, "note this")
	redis.Kill()
	a := root.user("and now?").try(t)
	if a.status != http.StatusServiceUnavailable || a.code != "store_unavailable" || a.header.Get("Retry-After") == "" {
		t.Errorf("an agent is answered %d %s %v", a.status, a.raw, a.err)
	}
	if got := w.root("").say(t, "still there?"); got != "Of course." {
		t.Errorf("an anonymous client is answered %q", got)
	}
	if status := get(t, w.proxy.URL+"/readyz"); !strings.HasPrefix(status, "200 ") || !strings.Contains(status, `"degraded"`) {
		t.Errorf("/readyz says %s", status)
	}
	redis.Restart(t)
	if a := root.send(t); a.text != "Here." {
		t.Errorf("with the store back the agent is answered %q", a.text)
	}
	w.model.appendOnly(t, "root")
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, body.String())
}

// TestStartRefused: what keeps the program from serving ends its start, and is named.
func TestStartRefused(t *testing.T) {
	dir := t.TempDir()
	held := "file:" + dir + "/held/agents.db"
	forgetful, silent := redistest.Start(t, "--maxmemory-policy", "allkeys-lru"), redistest.Start(t)
	silent.Pause()
	broken := dir + "/keys.yaml"
	if err := os.WriteFile(broken, []byte("keys:\n  - key: secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	proxy.Serve(t, harness.Serve{Upstream: "http://127.0.0.1:1/v1", Store: held})
	for name, tt := range map[string]struct {
		flag, names string
		code        int
	}{
		"an unknown flag":     {"--stoer=x", "--stoer", 2},
		"a bad value":         {"--lease=soon", "lease", 2},
		"an unknown provider": {"--provider=acme", "acme", 2},
		"a bad upstream":      {"--upstream=ftp://x", "--upstream", 2},
		"Redis is not there":  {"--store=redis://127.0.0.1:1/0", "127.0.0.1:1", 1},
		"Redis says nothing":  {"--store=" + silent.URL(), silent.Addr, 1},
		"Redis forgets":       {"--store=" + forgetful.URL(), "maxmemory-policy allkeys-lru", 1},
		"no sentinel":         {"--store=redis+sentinel://127.0.0.1:1,127.0.0.1:2/agents", "redis+sentinel://127.0.0.1:1,127.0.0.1:2/agents", 1},
		"no cluster":          {"--store=redis+cluster://127.0.0.1:1", "redis+cluster://127.0.0.1:1", 1},
		"spoilt keys":         {"--auth=" + broken, "keys.yaml: line 2: want a tenant", 1},
		"no such directory":   {"--store=file:/dev/null/agents.db", "/dev/null", 1},
		"another holds it":    {"--store=" + held, "held/agents.db", 1},
		"an open address":     {"--listen=0.0.0.0:0", "--insecure", 2},
	} {
		t.Run(name, func(t *testing.T) {
			bound, stop := context.WithTimeout(t.Context(), leaveBound)
			defer stop()
			command := exec.CommandContext(bound, string(proxy), "serve", "--listen=127.0.0.1:0", tt.flag)
			command.Env = []string{"HOME=" + dir}
			said, err := command.CombinedOutput()
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.ExitCode() != tt.code || !strings.Contains(string(said), tt.names) {
				t.Errorf("ends with %v and says\n%s\nwant code %d and %s", err, said, tt.code, tt.names)
			}
		})
	}
}
