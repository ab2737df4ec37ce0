package proxy_test

import (
	"testing"

	"trunkline/proxy"
)

// TestGuard checks what a proxy on a loopback address refuses: what a web page could make a
// browser send to it.
func TestGuard(t *testing.T) {
	for _, c := range []struct{ host, origin, code string }{
		{"127.0.0.1:8080", "", ""},
		{"localhost", "", ""},
		{"LOCALHOST:1", "", ""},
		{"[::1]:8080", "", ""},
		{"allowed.test:8080", "", ""},
		{"evil.test", "", "foreign_host"},
		{"127.0.0.1.evil.test", "", "foreign_host"},
		{"localhost.evil.test:8080", "", "foreign_host"},
		{"127.0.0.1:8080", "http://127.0.0.1:8080", ""},
		{"127.0.0.1:8080", "https://page.test", ""},
		{"127.0.0.1:8080", "https://evil.test", "foreign_origin"},
		{"127.0.0.1:8080", "http://127.0.0.1:3000", "foreign_origin"},
		{"127.0.0.1:8080", "null", "foreign_origin"},
		{"127.0.0.1:8080", "https://page.test.evil.test", "foreign_origin"},
		{"evil.test", "http://evil.test", "foreign_host"},
	} {
		everyone(t, func(t *testing.T, who []string) {
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")), func(c *proxy.Config) {
				c.Local, c.AllowHosts, c.AllowOrigins = true, []string{"allowed.test"}, []string{"https://page.test"}
			})
			r := e.request("POST", chat, nil, who...)
			r.Host = c.host
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			a := e.send(r)
			want := c.code
			if want == "" {
				want = "invalid_json" // it got as far as its body
			}
			if got := a.Header.Get("X-Trunkline-Error"); got != want || c.code != "" && a.StatusCode != 403 {
				t.Errorf("host %q, origin %q: status %d, error %q", c.host, c.origin, a.StatusCode, got)
			}
		})
	}
}
