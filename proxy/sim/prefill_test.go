package sim_test

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/proxy/sim"
)

func TestPrefillTakesTimeForUncachedTokensOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sim.New(sim.Config{PrefillPerToken: time.Millisecond})
		for range 3 {
			start := time.Now()
			r := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(body("", msg("user", words("x", 2000)))))
			s.ServeHTTP(httptest.NewRecorder(), r)
			all := s.Requests()
			last := all[len(all)-1]
			want := time.Duration(last.PromptTokens-last.CachedTokens) * time.Millisecond
			if got := time.Since(start); got != want {
				t.Errorf("a prompt of %d tokens, %d cached, took %v, want %v", last.PromptTokens, last.CachedTokens, got, want)
			}
		}
	})
}

// Two equal prompts at once: neither finds what the other has not completed.
func TestPrefillUnderWayIsNoHit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sim.New(sim.Config{PrefillPerToken: time.Millisecond})
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(body("", msg("user", words("x", 2000))))))
			})
		}
		both.Wait()
		for _, r := range s.Requests() {
			if r.PromptTokens < 500 || r.CachedTokens != 0 {
				t.Errorf("a prompt of %d tokens hit %d", r.PromptTokens, r.CachedTokens)
			}
		}
	})
}

func TestEventDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sim.New(sim.Config{EventDelay: time.Second})
		start := time.Now()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(streamBody)))
		events := strings.Count(w.Body.String(), "\n\n")
		if got := time.Since(start); events < 3 || got != time.Duration(events-1)*time.Second {
			t.Errorf("%d events took %v", events, got)
		}
	})
}
