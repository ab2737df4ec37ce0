package proxy_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trunkline/proxy"
)

// routes are the ways through the proxy.
var routes = []string{chat, "/v1/responses", "/v1/embeddings"}

// TestRequestHeaders checks which headers go up: all but those of one connection, those that
// a Connection header names, and those of the agent.
func TestRequestHeaders(t *testing.T) {
	for _, path := range routes {
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
		r := e.request("POST", path, strings.NewReader(ask),
			"X-Agent-Id", "a", "X-Agent-Label", "l", "X-Agency", "stays",
			"Connection", "close, X-Mine", "Connection", "x-other", "X-Mine", "1", "X-Other", "2",
			"Keep-Alive", "timeout=5", "Proxy-Connection", "x", "Proxy-Authorization", "Basic x", "Te", "trailers",
			"X-Many", "1", "X-Many", "2", "X-Empty", "", "Session_id", "s", "X-Session-Id", "s", "Openai-Organization", "o",
			"Content-Type", "application/json; charset=utf-8", "User-Agent", "client/1", "Cookie", "c=1",
			"Authorization", "Bearer client")
		r.Host = "127.0.0.1:1"
		if a := e.send(r); a.StatusCode != 200 {
			t.Fatalf("%s: status %d, body %s", path, a.StatusCode, a.body)
		}
		got := e.one()
		for name, want := range map[string][]string{
			"X-Agency": {"stays"}, "X-Many": {"1", "2"}, "X-Empty": {""}, "Session_id": {"s"}, "X-Session-Id": {"s"},
			"Openai-Organization": {"o"}, "Content-Type": {"application/json; charset=utf-8"}, "User-Agent": {"client/1"},
			"Cookie": {"c=1"}, "Authorization": {"Bearer client"},
		} {
			if v := got.header.Values(name); !slices.Equal(v, want) {
				t.Errorf("%s: %s is %q upstream, want %q", path, name, v, want)
			}
		}
		for name := range got.header {
			if strings.HasPrefix(name, "X-Agent-") || slices.Contains([]string{"Connection", "X-Mine", "X-Other", "Keep-Alive",
				"Proxy-Connection", "Proxy-Authorization", "Te", "X-Forwarded-For", "Forwarded", "Via"}, name) {
				t.Errorf("%s: %s went up", path, name)
			}
		}
		if "http://"+got.host != e.upstream.URL || got.chunked {
			t.Errorf("%s: host %s, chunked %v", path, got.host, got.chunked)
		}
	}
}

// TestMistypedIdentity checks a header that looks like one of an identity: beside an id it is
// refused by name, and an anonymous request's is not sent on.
func TestMistypedIdentity(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
	if a := e.post(ask, "X-Agent-Id", "a", "X-Agent-Parent", "b"); a.StatusCode != 400 || !strings.Contains(a.body, "X-Agent-Parent:") || len(e.sent()) != 0 {
		t.Errorf("beside an id: status %d, body %s, %d requests went up", a.StatusCode, a.body, len(e.sent()))
	}
	if a := e.post(ask, "X-Agent-Parent", "b"); a.StatusCode != 200 {
		t.Fatalf("alone: status %d, body %s", a.StatusCode, a.body)
	}
	if v := e.one().header.Values("X-Agent-Parent"); v != nil {
		t.Errorf("it went up: %q", v)
	}
}

// TestNoHeaderIsAdded checks that a client without a user agent or a content type has none
// upstream either.
func TestNoHeaderIsAdded(t *testing.T) {
	for _, path := range routes {
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
		r := e.request("POST", path, strings.NewReader(ask))
		r.Header["User-Agent"] = nil
		e.send(r)
		for name := range e.one().header {
			if name != "Content-Length" && name != "Accept-Encoding" {
				t.Errorf("%s: the provider got %s", path, name)
			}
		}
	}
}

// TestUpstreamKey checks that the proxy's key goes up only for a client without a credential.
func TestUpstreamKey(t *testing.T) {
	for _, c := range []struct{ name, value, authorization string }{
		{"", "", "Bearer own"},
		{"Authorization", "Bearer client", "Bearer client"},
		{"Authorization", "Basic abc", "Basic abc"},
		{"Api-Key", "azure", ""},
		{"X-Api-Key", "anthropic", ""},
	} {
		for _, path := range routes {
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")), func(c *proxy.Config) { c.UpstreamKey = "own" })
			r := e.request("POST", path, strings.NewReader(ask))
			if c.name != "" {
				r.Header.Set(c.name, c.value)
			}
			e.send(r)
			if got := e.one().header; got.Get("Authorization") != c.authorization || c.name != "" && got.Get(c.name) != c.value {
				t.Errorf("%s, %s: upstream got %v", path, c.name, got)
			}
		}
	}
}

// TestBaseCredential checks that a password in the base URL is sent, and that it does not
// stand in the way of a client's own.
func TestBaseCredential(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", "{}"), func(c *proxy.Config) {
		c.Upstreams[0] = strings.Replace(c.Upstreams[0], "http://", "http://u:p@", 1)
	})
	e.post(ask)
	e.post(ask, "Authorization", "Bearer client")
	want := []string{"Basic " + base64.StdEncoding.EncodeToString([]byte("u:p")), "Bearer client"}
	for i, r := range e.sent() {
		if got := r.header.Get("Authorization"); got != want[i] {
			t.Errorf("request %d: %q, want %q", i, got, want[i])
		}
	}
}

// TestExpect checks that the proxy itself answers an expectation, and does not pass it on.
func TestExpect(t *testing.T) {
	for _, path := range routes {
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
		e.client.Transport.(*http.Transport).ExpectContinueTimeout = 1 << 40 // the body waits for the 100
		if a := e.send(e.request("POST", path, strings.NewReader(ask), "Expect", "100-continue")); a.err != nil || a.StatusCode != 200 {
			t.Fatalf("%s: %v", path, a.err)
		}
		if got := e.one(); got.header.Get("Expect") != "" || string(got.body) != ask {
			t.Errorf("%s: upstream got %v, body %s", path, got.header, got.body)
		}
	}
}

// TestAnswerHeaders checks that the provider's headers come back, less those of its
// connection, and that the server does not guess a kind that the provider left open.
func TestAnswerHeaders(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		e := newEdge(t, func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h["Content-Type"] = nil
			h["X-Many"] = []string{"1", "2"}
			h.Set("Connection", "X-Mine")
			h.Set("X-Mine", "1")
			h.Set("Keep-Alive", "timeout=5")
			h.Set("Set-Cookie", "c=1")
			h.Set("X-Request-Id", "r1")
			h.Set("Content-Length", "7")
			w.Write([]byte("<html/>"))
		})
		a := e.post(ask, who...)
		if a.body != "<html/>" || a.ContentLength != 7 {
			t.Errorf("body %q, length %d", a.body, a.ContentLength)
		}
		if v := a.Header.Values("X-Many"); !slices.Equal(v, []string{"1", "2"}) || a.Header.Get("X-Request-Id") != "r1" || a.Header.Get("Set-Cookie") != "c=1" {
			t.Errorf("headers %v", a.Header)
		}
		for _, name := range []string{"Content-Type", "X-Mine", "Keep-Alive", "Connection"} {
			if v, ok := a.Header[name]; ok {
				t.Errorf("the client got %s: %q", name, v)
			}
		}
	})
}

// TestHead checks that an answer without a body keeps its length.
func TestHead(t *testing.T) {
	e := newEdge(t, reply(200, "text/plain", "", "Content-Length", "12345"))
	if a := e.send(e.request("HEAD", "/v1/files/x/content", nil)); a.err != nil || a.ContentLength != 12345 {
		t.Errorf("error %v, length %d", a.err, a.ContentLength)
	}
}
