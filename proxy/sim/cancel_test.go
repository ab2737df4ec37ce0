package sim_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"trunkline/proxy/sim"
)

// leave posts body and cancels it once the provider satisfies ready.
func leave(t *testing.T, s *sim.Server, url, body string, ready func(sim.Stats) bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/chat/completions", strings.NewReader(body))
		if err == nil {
			var res *http.Response
			if res, err = http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
			}
		}
		done <- err
	}()
	if err := s.Await(t.Context(), ready); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v, want its cancellation", err)
	}
	if err := s.Await(t.Context(), func(st sim.Stats) bool { return st.InFlight == 0 }); err != nil {
		t.Fatal(err)
	}
}

func TestCancelledPrefillStaysOutOfTheCache(t *testing.T) {
	s, _, url := dial(t, sim.Config{PrefillPerToken: time.Hour})
	leave(t, s, url, body("", msg("user", words("x", 1000))), func(st sim.Stats) bool { return st.InFlight == 1 })
	if st := s.Stats(); st.Cancelled != 1 || st.Replicas[0].Blocks != 0 || st.PromptTokens != 0 {
		t.Errorf("stats = %+v", st)
	}
}

func TestCancelledBeforeTheHeadersKeepsThePrompt(t *testing.T) {
	for _, stream := range []string{`"stream":true,`, ``} {
		s, _, url := dial(t, sim.Config{Script: func(sim.Request) sim.Answer {
			return sim.Answer{Text: words("spoken", 1000), Gates: map[int]<-chan struct{}{0: make(chan struct{})}}
		}})
		b := strings.Replace(body("", msg("user", words("x", 4*160))), "{", "{"+stream, 1)
		leave(t, s, url, b, func(st sim.Stats) bool { return st.PromptTokens > 0 })
		if st := s.Stats(); st.Cancelled != 1 || st.Replicas[0].Blocks != 10 || st.CompletionTokens != 0 {
			t.Errorf("stats = %+v", st)
		}
	}
}

func TestGateHoldsOneEvent(t *testing.T) {
	gate := make(chan struct{})
	s, _, url := dial(t, sim.Config{Script: func(sim.Request) sim.Answer {
		return sim.Answer{Text: "ab", Piece: 1, Gates: map[int]<-chan struct{}{2: gate}}
	}})
	res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(streamBody))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	buf := make([]byte, 4096)
	var got string
	for strings.Count(got, "\n\n") < 2 {
		n, err := res.Body.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		got += string(buf[:n])
	}
	if strings.Count(got, "\n\n") != 2 || s.Stats().CompletionTokens != 0 {
		t.Errorf("before the gate opened: %s", got)
	}
	close(gate)
	for !strings.HasSuffix(got, "[DONE]\n\n") {
		n, err := res.Body.Read(buf)
		if n == 0 && err != nil {
			t.Fatal(err)
		}
		got += string(buf[:n])
	}
	if s.Stats().CompletionTokens != 3 {
		t.Errorf("stats = %+v", s.Stats())
	}
}
