package record_test

import (
	"strings"
	"testing"

	"trunkline/proxy/record"
)

// TestScrubTakesProseForProse: a text that only looks like one of the proxy's own, or stands
// where names do, is replaced all the same.
func TestScrubTakesProseForProse(t *testing.T) {
	for name, body := range map[string]string{
		"like a result":      `{"content":"message delivered to agent kid: private words"}`,
		"like an interrupt":  `{"content":"interrupt requested for agent kid, private words"}`,
		"behind guidance":    `{"content":"task\n\nYou work as a subagent of the agent \"a\". private words"}`,
		"a program":          `{"type":"code_interpreter_call","id":"ci_1","code":"say('private words')"}`,
		"a sentence as name": `{"metadata":{"name":"private words"}}`,
		"a line of an error": `{"content":"Error: it broke\nprivate words; nothing was interrupted."}`,
	} {
		t.Run(name, func(t *testing.T) {
			if now := scrubbed(t, "application/json", body)[0]; strings.Contains(now, "private words") {
				t.Errorf("%s", now)
			}
		})
	}
	for name, body := range map[string]string{
		"a comment of a stream":   ": private words\n\n",
		"an error for a stream":   `{"error":{"message":"private words"}}` + "\n",
		"an error without a line": `{"error":{"message":"private words"}}`,
		"text for a stream":       "private words\nid: private words\n",
	} {
		t.Run(name, func(t *testing.T) {
			if now := scrubbed(t, "text/event-stream", body)[0]; strings.Contains(now, "private words") {
				t.Errorf("%s", now)
			}
		})
	}
}

// TestScrubTakesCredentialsOut of a recording that another program, or an older one, made.
func TestScrubTakesCredentialsOut(t *testing.T) {
	secrets := []record.Header{{"Authorization", "secret"}, {"api-key", "secret"}, {"set-cookie", "secret"}, {"X-Prefix-Key", "secret"}}
	s := &record.Session{Exchanges: []*record.Exchange{{
		Client:   record.Request{Path: "/v1/models?key=secret&limit=5", Headers: secrets},
		Upstream: []record.Hop{{Request: record.Request{Path: "/models?sig=secret", Headers: secrets}, Response: &record.Response{Headers: secrets}}},
		Response: record.Response{Headers: secrets},
	}}}
	if err := s.Scrub(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := s.Exchanges[0].Write(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "secret") || !strings.Contains(out.String(), "limit=5") {
		t.Error(out.String())
	}
}
