package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/metrics"
)

// TestTenantsAreCounted: with --tenant-label the metrics say whose what was, without it they
// say the same of all together.
func TestTenantsAreCounted(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys.yaml")
	if err := os.WriteFile(keys, []byte("keys: [{key: secret-one, tenant: acme}, {key: secret-two, tenant: ants}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	var prompt [2]float64
	for i, args := range [][]string{{}, {"--tenant-label"}} {
		w := &world{t: t, stream: true}
		w.proxy = proxy.Serve(t, harness.Serve{
			Upstream: proxy.Start(t, nil, "sim").URL + "/v1", Args: append(args, "--provider=sim", "--auth="+keys),
		})
		for _, key := range []string{"secret-one", "secret-two"} {
			root := w.root("root")
			root.header = map[string]string{"Authorization": "Bearer " + key}
			root.say(t, "say hello")
			if key == "secret-one" {
				root.say(t, "say bye")
			}
		}
		stranger := w.root("root")
		stranger.header = map[string]string{"Authorization": "Bearer made-up"}
		if a := stranger.user("say hello").try(t); a.status != 401 {
			t.Fatalf("a made-up key is answered %d", a.status)
		}
		s := scrape(t, w.proxy.URL)
		prompt[i] = s.sum(metrics.PromptTokensTotal, ``)
		if len(args) == 0 {
			if text := string(page(t, w.proxy.URL+"/metrics")); strings.Contains(text, "acme") || strings.Contains(text, "tenant=") {
				t.Error("the metrics name a tenant and were not asked to")
			}
			continue
		}
		for labels, want := range map[string]float64{
			`tenant="acme",outcome="ok"`: 2, `tenant="ants",outcome="ok"`: 1, `tenant="none",outcome="refused"`: 1, ``: 4,
		} {
			if got := s.sum(metrics.RequestsTotal, labels); got != want {
				t.Errorf("%v requests have %s, want %v", got, labels, want)
			}
		}
		acme, ants := s.sum(metrics.PromptTokensTotal, `tenant="acme"`), s.sum(metrics.PromptTokensTotal, `tenant="ants"`)
		if acme <= ants || ants <= 0 || acme+ants != prompt[i] {
			t.Errorf("%v prompt tokens are acme's and %v the ants', of %v", acme, ants, prompt[i])
		}
	}
	if prompt[0] != prompt[1] {
		t.Errorf("%v prompt tokens without the label, %v with it", prompt[0], prompt[1])
	}
}
