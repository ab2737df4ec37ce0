package proxy_test

import (
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestCase51 checks the one rule for URLs: the base replaces the client's leading /v1, both
// queries stay, and so do the path's escapes.
func TestCase51(t *testing.T) {
	paths := []struct{ client, rest, query string }{
		{"/v1/chat/completions", "/chat/completions", ""},
		{"/chat/completions", "/chat/completions", ""},
		{"/v1/models?limit=2", "/models", "limit=2"},
		{"/v1/files/a%2Fb", "/files/a%2Fb", ""},
		{"/v1/files/a%2fb/%E2%82%AC?q=%2F&x=a+b;c", "/files/a%2fb/%E2%82%AC", "q=%2F&x=a+b;c"},
		{"/v1/models/", "/models/", ""},
		{"/v1/x//y", "/x//y", ""},
		{"/v1beta/models", "/v1beta/models", ""},
		{"/v1", "", ""},
		{"/v1/models?", "/models", "?"},
		{"/v1/v1/models", "/v1/models", ""},
	}
	bases := []struct{ given, path, query string }{
		{"", "", ""},
		{"/", "", ""},
		{"/v1", "/v1", ""},
		{"/v1/", "/v1", ""},
		{"/v1beta/openai", "/v1beta/openai", ""},
		{"/api/paas/v4", "/api/paas/v4", ""},
		{"/v1?api-version=7", "/v1", "api-version=7"},
		{"/a%2Fb/v1", "/a%2Fb/v1", ""},
	}
	for _, base := range bases {
		e := newEdge(t, reply(200, "application/json", "{}"), func(c *proxy.Config) { c.Upstreams[0] += base.given })
		for _, p := range paths {
			want := base.path + p.rest
			if want == "" {
				want = "/"
			}
			switch query := strings.TrimPrefix(p.query, "?"); {
			case base.query != "" && query != "":
				want += "?" + base.query + "&" + query
			case base.query+query != "":
				want += "?" + base.query + query
			case p.query == "?":
				want += "?"
			}
			before := len(e.sent())
			method, body := "GET", ""
			if strings.HasSuffix(p.client, "/completions") {
				method, body = "POST", ask
			}
			a := e.send(e.request(method, p.client, strings.NewReader(body)))
			if a.err != nil || a.StatusCode != 200 {
				t.Errorf("base %q, path %q: status %v, error %v", base.given, p.client, a.Response, a.err)
				continue
			}
			if got := e.sent()[before]; got.uri != want || "http://"+got.host != e.upstream.URL {
				t.Errorf("base %q, path %q: upstream got %s at host %s, want %s", base.given, p.client, got.uri, got.host, want)
			}
		}
	}
}

// TestUpstreamMustBeAnAddress checks that a proxy does not start with a URL that it could
// never reach.
func TestUpstreamMustBeAnAddress(t *testing.T) {
	for _, bad := range []string{"", "localhost:8080", "ftp://u/v1", "http://", "://u", "http://u\x7f"} {
		if _, err := proxy.New(proxy.Config{Upstreams: []string{bad}}); err == nil {
			t.Errorf("upstream %q was accepted", bad)
		}
	}
}

// TestOwnPaths checks that only the proxy's own paths are
// answered here, and that those never reach the provider.
func TestOwnPaths(t *testing.T) {
	e := newEdge(t, reply(200, "text/plain", "provider"))
	for path, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 404} {
		if a := e.send(e.request("GET", path, nil)); a.StatusCode != status || a.body == "provider" {
			t.Errorf("%s: status %d, body %q", path, a.StatusCode, a.body)
		}
	}
	if got := e.sent(); len(got) != 0 {
		t.Errorf("the provider got %v", got)
	}
	if a := e.send(e.request("DELETE", "/v1/files/x", nil)); a.body != "provider" {
		t.Errorf("another method was not relayed: %q", a.body)
	}
}
