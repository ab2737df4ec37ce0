package metrics

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
)

// of returns an answered step and its request.
func of(tenant string) (proxy.StepInfo, proxy.RequestInfo) {
	return proxy.StepInfo{
			Tenant: tenant, Provider: "sim", Model: "m", Relation: proxy.RelationFork, Status: 200, Taken: true, Completed: true, Fork: proxy.ForkDiverged,
			Break: reuse.Break{Cause: prefix.CauseNonce, Segment: prefix.SegmentSystem}, Repairs: map[string]int{prefix.RepairToolsReordered: 1},
			Usage: prefix.ReadUsage([]byte(`{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":0}}`), nil),
			Reuse: reuse.Account{Prompt: 100, Shared: 90, Expected: 64, Losses: []reuse.Loss{{Cause: prefix.CauseRouting, Tokens: 64}}},
		},
		proxy.RequestInfo{Tenant: tenant, Route: "chat", Model: "m", Outcome: proxy.OutcomeOK}
}

// TestTenants: whose a request was is told of everything that is counted of it.
func TestTenants(t *testing.T) {
	m := New(Config{TenantLabel: true})
	for _, tenant := range []string{"acme", "acme", "local"} {
		step, request := of(tenant)
		m.step(step)
		m.request(request)
	}
	m.request(proxy.RequestInfo{Route: "chat", Outcome: proxy.OutcomeRefused}) // without a valid key
	want(t, m, RequestsTotal, map[string]float64{"m ok chat acme": 2, "m ok chat local": 1, "none refused chat none": 1})
	want(t, m, PromptTokensTotal, map[string]float64{"miss m sim fork acme": 200, "miss m sim fork local": 100})
	want(t, m, CompletionTokensTotal, map[string]float64{"acme": 14, "local": 7})
	want(t, m, PrefixExpectedTokensTotal, map[string]float64{"m sim acme": 128, "m sim local": 64})
	want(t, m, PrefixShortfallTokensTotal, map[string]float64{"routing m sim acme": 128, "routing m sim local": 64})
	want(t, m, PrefixBreaksTotal, map[string]float64{"nonce fork system acme": 2, "nonce fork system local": 1})
	want(t, m, PrefixRepairsTotal, map[string]float64{"tools_reordered acme": 2, "tools_reordered local": 1})
	want(t, m, ForkHeadsTotal, map[string]float64{"diverged acme": 2, "diverged local": 1})
}

// TestTenantIsWhole: a tenant's series are all there from its first answer, and are as many
// as everybody's are without the label.
func TestTenantIsWhole(t *testing.T) {
	without, with := New(Config{}), New(Config{TenantLabel: true})
	step, _ := of("acme")
	without.step(step)
	with.step(step)
	for _, metric := range Table() {
		if a, b := len(without.all(t, metric.Name)), len(with.all(t, metric.Name)); a != b || a == 0 {
			t.Errorf("%s has %d series, and of one tenant %d", metric.Name, a, b)
		}
	}
}

// TestTenantsAreBounded: beyond the first hundred, and whoever no provider has answered, all
// are one.
func TestTenantsAreBounded(t *testing.T) {
	m := New(Config{TenantLabel: true})
	for i := range 2 * maxValues {
		_, request := of(fmt.Sprintf("made-up-%d", i))
		request.Outcome = proxy.OutcomeProvider
		m.request(request)
	}
	var clients sync.WaitGroup
	for c := range 4 {
		clients.Go(func() {
			for i := range 2 * maxValues {
				step, request := of(fmt.Sprintf("tenant-%d", (i*7+c)%(2*maxValues)))
				m.step(step)
				m.request(request)
			}
		})
	}
	clients.Wait()
	names := map[string]bool{}
	var total float64
	for labels, n := range m.series(t, RequestsTotal) {
		names[labels[strings.LastIndexByte(labels, ' ')+1:]] = true
		total += n
	}
	if len(names) != maxValues+1 || !names[other] {
		t.Errorf("%d tenants, want %d with %q among them", len(names), maxValues+1, other)
	}
	if total != 10*maxValues {
		t.Errorf("%v requests are counted, want %d", total, 10*maxValues)
	}
}

// TestNoTenants: who does not ask for the label has no tenant anywhere.
func TestNoTenants(t *testing.T) {
	m := New(Config{})
	step, request := of("acme")
	m.step(step)
	m.request(request)
	for _, metric := range Table() {
		for labels := range m.all(t, metric.Name) {
			if strings.Contains(labels, "acme") {
				t.Errorf("%s{%s}", metric.Name, labels)
			}
		}
	}
}
