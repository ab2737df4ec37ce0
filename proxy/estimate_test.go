package proxy

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/prefix/reuse"
	"trunkline/proxy/sim"
)

// TestTokensAreGuessedUntilReported: a provider that reports nothing is measured by a guess
// at its tokens, once; one that reports is never guessed at.
func TestTokensAreGuessedUntilReported(t *testing.T) {
	for _, reports := range []bool{false, true} {
		t.Run(fmt.Sprintf("reports=%v", reports), func(t *testing.T) {
			up := httptest.NewServer(sim.New(sim.Config{UsageAlways: reports}))
			defer up.Close()
			store, err := boltstore.Open(filepath.Join(t.TempDir(), "a.db"), boltstore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			provider, err := reuse.Lookup("sim")
			if err != nil {
				t.Fatal(err)
			}
			steps := make(chan StepInfo, 8)
			s, err := New(Config{Upstreams: []string{up.URL + "/v1"}, Provider: provider,
				Agents: agents.New(agents.Config{Store: store, Holder: "one"}),
				Trace:  Trace{Step: func(i StepInfo) { steps <- i }}})
			if err != nil {
				t.Fatal(err)
			}
			call := func() StepInfo {
				text := strings.Repeat("some ordinary words of English text, ", 200)
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequest("POST", "http://127.0.0.1/v1/chat/completions",
					strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"`+text+`"}],"stream":true}`)))
				if w.Code != http.StatusOK {
					t.Fatal(w.Code, w.Body)
				}
				return <-steps
			}
			call()
			for s.estimating.Load() {
				runtime.Gosched()
			}
			second := call()
			if second.Reuse.Prompt < 1200 || second.Reuse.Prompt > 2500 {
				t.Errorf("the prompt counts %d tokens", second.Reuse.Prompt)
			}
			if known := second.Usage.Prompt.Known; known != reports {
				t.Errorf("reported: %v", known)
			}
			if second.Reuse.Expected == 0 {
				t.Error("nothing is expected of an equal prompt")
			}
		})
	}
}
