package metrics

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"trunkline/proxy"
)

func TestModelsAreBounded(t *testing.T) {
	m := New(Config{})
	var clients sync.WaitGroup
	for c := range 4 {
		clients.Go(func() {
			for i := range 200 {
				m.step(proxy.StepInfo{Provider: "sim", Model: fmt.Sprintf("model-%d", (i*7+c)%200), Status: 200, Taken: true})
				m.request(proxy.RequestInfo{Route: "chat", Model: fmt.Sprintf("model-%d", i), Outcome: proxy.OutcomeOK})
			}
		})
	}
	clients.Wait()
	names := map[string]bool{}
	var total float64
	for labels, n := range m.series(t, RequestsTotal) {
		names[strings.Fields(labels)[0]] = true
		total += n
	}
	if len(names) > maxValues+1 || !names[other] {
		t.Errorf("%d names, want at most %d with %q among them", len(names), maxValues+1, other)
	}
	if total != 800 {
		t.Errorf("%v requests are counted, want 800", total)
	}
}

// TestOnlyAnAnsweredModelTakesAPlace: names that nobody serves do not crowd out others.
func TestOnlyAnAnsweredModelTakesAPlace(t *testing.T) {
	m := New(Config{})
	for i := range 2 * maxValues {
		m.step(proxy.StepInfo{Model: fmt.Sprintf("made-up-%d", i), Status: 404})
		m.request(proxy.RequestInfo{Route: "chat", Model: fmt.Sprintf("made-up-%d", i), Outcome: proxy.OutcomeProvider})
	}
	m.step(proxy.StepInfo{Model: "real", Status: 200, Taken: true})
	m.request(proxy.RequestInfo{Route: "chat", Model: "real", Outcome: proxy.OutcomeOK})
	want(t, m, RequestsTotal, map[string]float64{"other provider chat": 2 * maxValues, "real ok chat": 1})
}

// TestOddModelNames: a name that Prometheus cannot hold, or nobody would want to read, is
// counted with the others.
func TestOddModelNames(t *testing.T) {
	m := New(Config{})
	for _, name := range []string{"\xff", strings.Repeat("m", maxValue+1)} {
		m.step(proxy.StepInfo{Model: name, Status: 200, Taken: true})
		m.request(proxy.RequestInfo{Route: "chat", Model: name, Outcome: proxy.OutcomeOK})
	}
	m.request(proxy.RequestInfo{Route: "chat", Outcome: proxy.OutcomeRefused})
	want(t, m, RequestsTotal, map[string]float64{"other ok chat": 2, "none refused chat": 1})
}
