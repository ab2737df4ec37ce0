package harness

import (
	"net/http"
	"testing"
)

func TestPrometheusServes(t *testing.T) {
	p := StartPrometheus(t, "global: {scrape_interval: 1s}\n")
	answer, err := http.Get(p.URL + "/-/ready")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("/-/ready is answered %s", answer.Status)
	}
	p.Stop(t)
}
