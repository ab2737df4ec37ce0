package e2e

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/e2e/harness"
)

// TestForkAtBreakpoints: in front of a provider that caches only at markers, a fork reads what
// it inherits with --breakpoints, and nothing without; either is recorded and replayed.
func TestForkAtBreakpoints(t *testing.T) {
	for name, args := range map[string][]string{"on": {"--breakpoints"}, "off": nil} {
		t.Run(name, func(t *testing.T) {
			sim := proxy.Start(t, nil, "sim", "--breakpoints=explicit", "--order=tools-first")
			dir := filepath.Join(t.TempDir(), "recordings")
			w := &world{t: t, stream: true}
			w.proxy = proxy.Serve(t, harness.Serve{
				Upstream: sim.URL + "/v1",
				Args:     append(args, "--provider=anthropic", "--record="+dir),
			})
			long := strings.Repeat(" Be brief and careful.", 200)
			root := w.root("root")
			root.say(t, "say one"+long)
			root.user("call pick {\"z\":\"1\"}").send(t)
			w.fork("kid", "root").say(t, "say two"+long)
			w.proxy.Stop(t)

			got := cachedTokens(t, sim.URL)
			if inherits := len(long) / 4; len(got) != 3 || (got[2] > inherits) != (name == "on") || name == "off" && got[2] != 0 {
				t.Errorf("the requests read %v tokens; the fork inherits more than %d", got, inherits)
			}
			out, err := exec.Command(string(proxy), "replay", dir).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "no difference: all 3 requests") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// cachedTokens is what each request to a simulated provider read from its cache.
func cachedTokens(t *testing.T, url string) (tokens []int) {
	t.Helper()
	response, err := http.Get(url + "/sim/requests")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := json.NewDecoder(response.Body); lines.More(); {
		var r struct {
			Cached int `json:"cached_tokens"`
		}
		if err := lines.Decode(&r); err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, r.Cached)
	}
	return tokens
}
