package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestCase50 checks that a provider's refusals come back with status, headers and bytes as
// they are.
func TestCase50(t *testing.T) {
	for _, c := range []struct {
		status     int
		kind, body string
		headers    []string
	}{
		{429, "application/json", `{"detail":"q"}`, []string{"Retry-After", "30", "X-Ratelimit-Remaining-Tokens", "0"}},
		{529, "application/json", `{"type":"error","error":{"type":"overloaded_error"}}`, nil},
		{400, "text/html", "<html>\r\n<b>no</b>", nil},
		{401, "application/json", `{"error":{"message":"no"}}`, []string{"Www-Authenticate", "Bearer"}},
		{413, "application/json", "{}", nil},
		{422, "application/json", "{}", nil},
		{500, "text/plain", "", nil},
		{503, "text/plain", "x\x00\xff", []string{"Retry-After", "9"}},
		{307, "text/plain", "there", []string{"Location", "http://127.0.0.1:1/v1/chat/completions"}},
		{299, "application/json", `{"odd":1}`, nil},
	} {
		everyone(t, func(t *testing.T, who []string) {
			e := newEdge(t, reply(c.status, c.kind, c.body, c.headers...))
			e.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			for _, ask := range []string{ask, askStream} {
				a := e.post(ask, who...)
				if a.err != nil || a.StatusCode != c.status || a.body != c.body || a.Header.Get("Content-Type") != c.kind {
					t.Errorf("%d: error %v, status %d, kind %s, body %q", c.status, a.err, a.StatusCode, a.Header.Get("Content-Type"), a.body)
				}
				for i := 0; i < len(c.headers); i += 2 {
					if got := a.Header.Get(c.headers[i]); got != c.headers[i+1] {
						t.Errorf("%d: %s is %q", c.status, c.headers[i], got)
					}
				}
				if a.Header.Get("X-Trunkline-Error") != "" {
					t.Errorf("%d: the proxy claims the error", c.status)
				}
				if o := e.outcome(); c.status >= 300 && o != proxy.OutcomeProvider {
					t.Errorf("%d: outcome %s", c.status, o)
				}
			}
			if n := len(e.sent()); n != 2 {
				t.Errorf("%d: %d requests went up for 2", c.status, n)
			}
		})
	}
}

// TestNoContent checks an answer that has no body.
func TestNoContent(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		e := newEdge(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		if a := e.post(ask, who...); a.err != nil || a.StatusCode != 204 || a.body != "" {
			t.Errorf("error %v, status %d, body %q", a.err, a.StatusCode, a.body)
		}
	})
}

// TestCase31 checks that the answer's kind decides how it is relayed and read, not what was
// asked: an error and a JSON body for a stream, an event stream for a whole answer, and an
// error body without a newline at its end.
func TestCase31(t *testing.T) {
	var events strings.Builder
	for _, s := range said("yes") {
		events.WriteString(s)
	}
	for _, c := range []struct {
		name, ask, body string
		status          int
		kind            string
		outcome         proxy.Outcome
		provider        http.HandlerFunc
	}{
		{"error for a stream", askStream, `{"error":{"message":"slow"}}`, 429, "application/json", proxy.OutcomeProvider,
			reply(429, "application/json", `{"error":{"message":"slow"}}`, "Retry-After", "9")},
		{"JSON for a stream", askStream, saidJSON("yes"), 200, "application/json", proxy.OutcomeOK, reply(200, "application/json", saidJSON("yes"))},
		{"stream for JSON", ask, events.String(), 200, "text/event-stream", proxy.OutcomeOK, stream(said("yes")...)},
		{"odd kind", askStream, events.String(), 200, "Text/Event-Stream; charset", proxy.OutcomeOK, reply(200, "Text/Event-Stream; charset", events.String())},
		{"error as a stream", askStream, events.String(), 500, "text/event-stream", proxy.OutcomeProvider, reply(500, "text/event-stream", events.String())},
		{"no JSON at all", ask, "<html>login</html>", 200, "text/html", "", reply(200, "text/html", "<html>login</html>")},
		{"cut JSON", ask, `{"choices":[{"ind`, 200, "application/json", "", reply(200, "application/json", `{"choices":[{"ind`)},
		{"error with 200", ask, `{"error":{"message":"no"}}`, 200, "application/json", proxy.OutcomeProvider, reply(200, "application/json", `{"error":{"message":"no"}}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				e := newEdge(t, c.provider)
				a := e.post(c.ask, who...)
				if a.err != nil || a.StatusCode != c.status || a.body != c.body || a.Header.Get("Content-Type") != c.kind {
					t.Errorf("error %v, status %d, kind %q\nbody %q\nwant %q", a.err, a.StatusCode, a.Header.Get("Content-Type"), a.body, c.body)
				}
				if o := e.outcome(); c.outcome != "" && o != c.outcome {
					t.Errorf("outcome %s, want %s", o, c.outcome)
				}
			})
		})
	}
}
