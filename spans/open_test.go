package spans

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"trunkline/proxy"
)

// TestEndpoint: an endpoint is named as collectors write it, with or without the path at
// which they take spans.
func TestEndpoint(t *testing.T) {
	at := make(chan string, 1)
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { at <- r.URL.Path }))
	defer endpoint.Close()
	for below, want := range map[string]string{
		"":           "/v1/traces",
		"/":          "/v1/traces",
		"/v1/traces": "/v1/traces",
		"/otlp":      "/otlp/v1/traces",
	} {
		s, err := Open(t.Context(), endpoint.URL+below, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		s.Proxy().Step(proxy.StepInfo{})
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := <-at; got != want {
			t.Errorf("%q: spans go to %s, want %s", below, got, want)
		}
	}
}
