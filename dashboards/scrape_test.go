package dashboards

import (
	"net/http/httptest"
	"testing"

	"trunkline/metrics"
)

// scrape returns what /metrics serves.
func scrape(t *testing.T, m *metrics.Metrics) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	return w.Body.Bytes()
}
