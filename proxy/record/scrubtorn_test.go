package record_test

import (
	"strings"
	"testing"

	"trunkline/proxy/record"
)

// scrubbed is what becomes of the answers of a session, each of one content type.
func scrubbed(t *testing.T, contentType string, bodies ...string) []string {
	t.Helper()
	s := &record.Session{}
	for _, b := range bodies {
		x := &record.Exchange{Response: record.Response{Headers: []record.Header{{"Content-Type", contentType}}}}
		x.Response.Chunks = []record.Chunk{{Data: []byte(b)}}
		s.Exchanges = append(s.Exchanges, x)
	}
	if err := s.Scrub(); err != nil {
		t.Fatal(err)
	}
	var now []string
	for _, x := range s.Exchanges {
		now = append(now, string(x.Response.Body()))
	}
	return now
}

// TestScrubTornBodies: what was cut anywhere has its beginning in common with the whole, and
// shows no more of the prose. That the relations stay is proven by Scrub itself.
func TestScrubTornBodies(t *testing.T) {
	const whole = `{"model":"m","messages":[{"role":"user","content":"private words, größer 1234"}]}`
	const event = `data: {"choices":[{"index":0,"delta":{"content":"private words"}}]}` + "\n\n"
	for contentType, text := range map[string]string{"application/json": whole, "text/event-stream": event + event} {
		for cut := range text {
			now := scrubbed(t, contentType, text, text[:cut], text[:cut]+"x private", text[:cut/2])
			for _, body := range now {
				if strings.Contains(body, "private") || strings.Contains(body, "words") {
					t.Fatalf("cut at %d: %s", cut, body)
				}
			}
			if !strings.HasPrefix(now[0], now[1]) {
				t.Fatalf("cut at %d: %q does not begin %q", cut, now[1], now[0])
			}
		}
	}
}

// TestScrubBesideText: a body of another program is no reason to refuse a recording.
func TestScrubBesideText(t *testing.T) {
	now := scrubbed(t, "application/json", `{"content":"private"}`, `{"content":private`, `{"comment private`, "<html>private", "\x1f\x8b\xff private", `[private`)
	for _, body := range now {
		if strings.Contains(body, "private") {
			t.Errorf("%q", body)
		}
	}
}
