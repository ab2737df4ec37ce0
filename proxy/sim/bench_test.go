package sim_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// BenchmarkLongPrompt serves a warm prompt of 128k tokens in 257 messages.
func BenchmarkLongPrompt(b *testing.B) {
	messages := []string{msg("system", words("system", 8000))}
	for range 128 {
		messages = append(messages, msg("user", words("question", 2000)), msg("assistant", words("answer", 2000)))
	}
	long := body(toolA, messages...)
	s := sim.New(sim.Config{})
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(long))
		s.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
	b.ReportMetric(float64(s.Requests()[0].PromptTokens), "prompt-tokens")
}
