package e2e

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// TestSimServes asks the simulated provider for an answer over HTTP, twice, and
// sees its cache; two of them run side by side and share nothing.
func TestSimServes(t *testing.T) {
	one := proxy.Start(t, nil, "sim")
	other := proxy.Start(t, []string{"TRUNKLINE_DIALECT=flat"}, "sim")

	if cached := usage(t, one.URL)["prompt_tokens_details"]; cached == nil {
		t.Error("the openai dialect does not report prompt_tokens_details")
	}
	details, _ := usage(t, one.URL)["prompt_tokens_details"].(map[string]any)
	if cached, _ := details["cached_tokens"].(float64); cached == 0 {
		t.Errorf("the second of two equal requests reports %v, want a hit", details)
	}
	if cached := usage(t, other.URL)["cached_tokens"]; cached != 0.0 {
		t.Errorf("the first request to another provider reports cached_tokens %v, want 0", cached)
	}
	one.Stop(t)
	other.Stop(t)
}

// usage returns the usage that a provider reports for one fixed request.
func usage(t *testing.T, url string) map[string]any {
	t.Helper()
	body := `{"model":"sim-1","messages":[{"role":"user","content":"` + strings.Repeat("word ", 100) + `"}]}`
	answer, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var whole struct {
		Usage map[string]any `json:"usage"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&whole); err != nil || whole.Usage == nil {
		t.Fatalf("status %s: usage %v, %v", answer.Status, whole.Usage, err)
	}
	return whole.Usage
}

// TestKillIsNoStop keeps the harness honest: what is killed did not end well.
func TestKillIsNoStop(t *testing.T) {
	p := proxy.Start(t, nil, "sim")
	p.Kill()
	if _, err := http.Get(p.URL + "/v1/models"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after the kill: %v, want a refused connection", err)
	}
}
