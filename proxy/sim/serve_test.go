package sim_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"trunkline/proxy/sim"
)

func TestServeEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := sim.New(sim.Config{Script: func(sim.Request) sim.Answer { return sim.Answer{Break: &sim.Break{How: sim.Silence}} }})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	res, err := http.Post("http://"+l.Addr().String()+"/v1/chat/completions", "application/json", strings.NewReader(streamBody))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve = %v", err)
	}
	if st := s.Stats(); st.InFlight != 0 || st.Cancelled != 1 {
		t.Errorf("stats = %+v", st)
	}
}

func TestConcurrentRequests(t *testing.T) {
	s, _, url := dial(t, sim.Config{CacheBlocks: 200, Replicas: 2, Pick: sim.RoundRobin, KeepRequests: 8})
	var wg sync.WaitGroup
	const clients, each = 16, 8
	for i := range clients {
		wg.Go(func() {
			for k := range each {
				b := body(toolA, append(trunk(), msg("assistant", "ok"), msg("user", words(string(rune('a'+i)), 100*k+1)))...)
				if k%2 == 0 {
					b = strings.Replace(b, "{", `{"stream":true,`, 1)
				}
				res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(b))
				if err != nil {
					t.Error(err)
					return
				}
				res.Body.Close()
				s.Requests()
			}
		})
	}
	wg.Wait()
	if err := s.Await(t.Context(), func(st sim.Stats) bool { return st.InFlight == 0 }); err != nil {
		t.Fatal(err)
	}
	st := s.Stats()
	if st.Requests != clients*each || len(s.Requests()) != 8 || st.CachedTokens == 0 {
		t.Errorf("stats = %+v", st)
	}
	for _, r := range st.Replicas {
		if r.Blocks != 200 {
			t.Errorf("replica = %+v, want it full", r)
		}
	}
}
