package spans

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/proxy"
)

// TestRefusedSpansAreLogged: an endpoint that refuses is told of once, where the proxy logs,
// and so is that it takes spans again.
func TestRefusedSpansAreLogged(t *testing.T) {
	var refuses atomic.Bool
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuses.Load() {
			http.Error(w, "no such tenant", http.StatusBadRequest)
		}
	}))
	defer endpoint.Close()
	var said bytes.Buffer
	s, err := Open(t.Context(), endpoint.URL, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	export := func(refused bool) {
		t.Helper()
		refuses.Store(refused)
		s.Proxy().Step(proxy.StepInfo{})
		if err := s.provider.ForceFlush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, refused := range []bool{false, true, true, false, true} {
		export(refused)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	want := []string{"level=WARN msg=\"spans are not exported\"", "level=INFO msg=\"spans are exported again\" lost=2",
		"level=WARN msg=\"spans are not exported\"", "level=WARN msg=\"spans were not exported\" lost=1"}
	lines := strings.Split(strings.TrimSuffix(said.String(), "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), &said)
	}
	for i := range want {
		if !strings.Contains(lines[i], want[i]) {
			t.Errorf("line %d is\n%s\nwant\n%s", i, lines[i], want[i])
		}
	}
	if !strings.Contains(lines[0], "no such tenant") {
		t.Errorf("why is not told: %s", lines[0])
	}
}

// TestUnreachableEndpoint: nothing listens there, and closing says so in the log alone.
func TestUnreachableEndpoint(t *testing.T) {
	endpoint := httptest.NewServer(http.NotFoundHandler())
	endpoint.Close()
	var said bytes.Buffer
	s, err := Open(t.Context(), endpoint.URL, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s.Proxy().Step(proxy.StepInfo{})
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(said.String(), "lost=1") {
		t.Errorf("the log says %q", &said)
	}
}
