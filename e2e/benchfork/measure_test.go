package main

import (
	"testing"
)

// TestKinds: what each kind of child costs, either way, on the simulated provider.
func TestKinds(t *testing.T) {
	s := settings{proxy: string(program), model: "sim-1", sizes: []int{4000}, children: []int{3}}
	url, stop, err := serve(t.Context(), s, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	cells, err := s.measure(t.Context(), url, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][len(ways)]bool{ // kind → whether each way reuses nearly all
		"equal": {asSent: true, asFork: true},
		"tool":  {},
		"order": {asFork: true},
		"nonce": {asFork: true},
	}
	if len(cells) != len(want) {
		t.Fatalf("%d cells, want %d", len(cells), len(want))
	}
	for _, c := range cells {
		for way, reuses := range want[c.kind.name] {
			of := c.of[way]
			if of.parent < 3500 || of.parent > 5000 || of.prompt < 3*of.parent {
				t.Errorf("%s, %s: prompts of %d and %d tokens", c.kind.label, ways[way], of.parent, of.prompt)
			}
			if got := of.hitRate() > 0.85; got != reuses {
				t.Errorf("%s, %s: %.1f %% are read from the cache", c.kind.label, ways[way], 100*of.hitRate())
			}
		}
	}
}

// TestUnreportedIsAnError: a provider that says nothing of its cache cannot be measured.
func TestUnreportedIsAnError(t *testing.T) {
	s := settings{proxy: string(program), model: "sim-1", provider: "generic", sizes: []int{1000}, children: []int{1}}
	silent, stop, err := start(t.Context(), t.Output(), s.proxy, "sim", "--listen=127.0.0.1:0", "--dialect=none")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	s.upstream = silent + "/v1"
	url, stopProxy, err := serve(t.Context(), s, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer stopProxy()
	if _, err := s.measure(t.Context(), url, t.Output()); err == nil {
		t.Error("an unreported cache counts as something")
	}
}
