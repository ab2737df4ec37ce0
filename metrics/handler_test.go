package metrics

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHandlerSpeaksBothFormats(t *testing.T) {
	h := New(Config{}).Handler()
	for accept, end := range map[string]string{
		"": "\n", "application/openmetrics-text; version=1.0.0": "# EOF\n",
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != 200 || !strings.HasSuffix(body, end) {
			t.Errorf("Accept %q: %d, ends in %q", accept, w.Code, body[max(0, len(body)-20):])
		}
		for _, name := range []string{ForkHeadsTotal + `{result="byte_equal"} 0`, "go_goroutines", "process_open_fds", "go_build_info"} {
			if !strings.Contains(body, name) {
				t.Errorf("Accept %q: no %s", accept, name)
			}
		}
	}
}
