package proxy_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestCase55 checks that a WebSocket upgrade is refused at once and reaches no provider.
func TestCase55(t *testing.T) {
	e := newEdge(t, reply(200, "text/plain", "provider"))
	for _, path := range []string{"/v1/responses", "/v1/realtime?model=m", chat} {
		for _, connection := range [][]string{{"Upgrade"}, {"keep-alive, upgrade"}, {"keep-alive", "Upgrade"}} {
			r := e.request("GET", path, nil, "Upgrade", "WebSocket")
			r.Header["Connection"] = connection
			a := e.send(r)
			if a.StatusCode != http.StatusUpgradeRequired || a.Header.Get("X-Trunkline-Error") != "no_websocket" || !strings.Contains(a.body, `"type":"trunkline_error"`) {
				t.Errorf("%s %q: status %d, body %s", path, connection, a.StatusCode, a.body)
			}
		}
	}
	if got := e.sent(); len(got) != 0 {
		t.Errorf("the provider got %v", got)
	}
}

// TestOtherUpgradesAreIgnored checks that an offer of HTTP/2, which Java clients make with
// their first request, is served as HTTP/1.1 and goes no further.
func TestOtherUpgradesAreIgnored(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
		a := e.post(ask, append(who, "Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA")...)
		if a.StatusCode != 200 || a.body != saidJSON("yes") {
			t.Errorf("status %d, body %s", a.StatusCode, a.body)
		}
		for _, name := range []string{"Upgrade", "Http2-Settings", "Connection"} {
			if v := e.one().header.Values(name); v != nil {
				t.Errorf("the provider got %s: %q", name, v)
			}
		}
	})
}

func TestNoTunnels(t *testing.T) {
	e := newEdge(t, reply(200, "text/plain", "provider"))
	answer := raw(t, e.URL, "CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 405 ") || len(e.sent()) != 0 {
		t.Errorf("the answer is %q, the provider got %d requests", answer, len(e.sent()))
	}
}
