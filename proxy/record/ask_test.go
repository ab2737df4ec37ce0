package record_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trunkline/proxy/record"
	"trunkline/proxy/sim"
)

// TestAgainstAProvider: every request of a replay goes to another provider as well, and what
// that one reports stands beside what was recorded. One that cannot be warm reports nothing.
func TestAgainstAProvider(t *testing.T) {
	model := sim.New(sim.Config{Lenient: true})
	cold := sim.New(sim.Config{Lenient: true, CacheBlocks: 1})
	for name, c := range map[string]struct {
		provider *sim.Server
		warm     bool
	}{"warm": {model, true}, "cold": {cold, false}} {
		t.Run(name, func(t *testing.T) {
			provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer key" {
					t.Errorf("the key is %q", r.Header.Get("Authorization"))
				}
				c.provider.ServeHTTP(w, r)
			}))
			defer provider.Close()
			s := session(t, "testdata/recordings/fork.jsonl")
			report, err := s.Replay(t.Context(), record.Options{Ask: record.Asker(provider.URL+"/v1", "key")})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(c.provider.Requests()); got != len(report.Requests) {
				t.Errorf("%d requests reached the provider of %d", got, len(report.Requests))
			}
			for i, a := range report.Requests {
				switch {
				case a.Asked == nil || a.AskError != "":
					t.Errorf("request %d: nothing reported: %s", i, a.AskError)
				case c.warm && (*a.Asked > *a.Cached || *a.Asked < *a.Cached*9/10): // it has its own answers in its cache
					t.Errorf("request %d: %d tokens read, recorded %d", i, *a.Asked, *a.Cached)
				case !c.warm && *a.Asked > 16:
					t.Errorf("request %d: %d tokens read of a cache of 16", i, *a.Asked)
				}
			}
			var out strings.Builder
			if err := report.Print(&out); err != nil || !strings.Contains(out.String(), "  now  ") {
				t.Errorf("no column for it: %v\n%s", err, out.String())
			}
		})
	}
}

// TestAProviderThatFails is told in its place, and the replay goes on.
func TestAProviderThatFails(t *testing.T) {
	provider := httptest.NewServer(http.NotFoundHandler())
	defer provider.Close()
	s := session(t, "testdata/recordings/settle.jsonl")
	report, err := s.Replay(t.Context(), record.Options{Ask: record.Asker(provider.URL, "")})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range report.Requests {
		if a.Asked != nil || !strings.HasPrefix(a.AskError, "404") {
			t.Errorf("%+v", a)
		}
	}
	if len(report.Differences) != 0 {
		t.Errorf("differences %v", report.Differences)
	}
	if n, first := report.Unanswered(); n != len(report.Requests) || !strings.HasPrefix(first, "404") {
		t.Errorf("%d unanswered, the first since %q", n, first)
	}
	var out strings.Builder
	if err := report.Print(&out); err != nil || !strings.Contains(out.String(), "the first since: 404") {
		t.Errorf("nobody is told why: %v\n%s", err, out.String())
	}
}
