package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"trunkline/e2e/harness"
	"trunkline/metrics"
)

// TestAgentsAreCounted: on each store the gauges come to say what stands there, also in a
// second proxy on the same store that has served nobody.
func TestAgentsAreCounted(t *testing.T) {
	everyStore(t, func(t *testing.T, empty func() string) {
		sim := proxy.Start(t, nil, "sim", "--replicas=2")
		w := &world{t: t, stream: true, store: empty()}
		serve := harness.Serve{Upstream: sim.URL + "/v1", Store: w.store, Args: []string{"--provider=sim"}}
		w.proxy = proxy.Serve(t, serve)
		w.family(t, 1)
		// The root has left a turn open, its four children are done.
		counts(t, w.proxy.URL)
		if strings.HasPrefix(w.store, "redis") {
			counts(t, proxy.Serve(t, serve).URL)
		}
	})
}

// counts waits until a proxy counts one family.
func counts(t *testing.T, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		s := scrape(t, url)
		got := fmt.Sprint(s.sum(metrics.Agents, `status="running"`), s.sum(metrics.Agents, `status="ready"`), s.sum(metrics.Agents, ``), s.sum(metrics.InboxEntries, ``), s.sum(metrics.Leases, ``))
		if got == "1 4 5 0 0" {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("running, ready, all agents, waiting entries, leases: %s, want 1 4 5 0 0", got)
		}
	}
}
