package metrics

import (
	"testing"
	"time"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
)

func TestRequestsAreCountedByEnd(t *testing.T) {
	m := New(Config{})
	trace := m.Proxy()
	trace.Step(proxy.StepInfo{Provider: "sim", Model: "m", Status: 200, Taken: true})
	trace.Request(proxy.RequestInfo{Route: "chat", Model: "m", Outcome: proxy.OutcomeOK, Steps: 3, Overhead: time.Millisecond})
	trace.Request(proxy.RequestInfo{Route: "chat", Model: "m", Outcome: proxy.OutcomeClientGone, Steps: 1, Overhead: time.Millisecond})
	trace.Request(proxy.RequestInfo{Route: "chat", Outcome: proxy.OutcomeRefused})
	trace.Request(proxy.RequestInfo{Route: "other", Outcome: proxy.OutcomeOK, Overhead: time.Millisecond})
	want(t, m, RequestsTotal, map[string]float64{
		"m ok chat": 1, "m client_gone chat": 1, "none refused chat": 1, "none ok other": 1,
	})
	want(t, m, StepsPerResponse, map[string]float64{"": 2}) // of identified clients
	want(t, m, ProxyOverheadSeconds, map[string]float64{"": 3})
}

// TestAnsweredModelIsWhole: all series of a model are there from its first answer, so that
// its first error shows as a rate.
func TestAnsweredModelIsWhole(t *testing.T) {
	m := New(Config{})
	before := len(m.all(t, RequestsTotal))
	m.step(proxy.StepInfo{Provider: "sim", Model: "m", Status: 200, Taken: true})
	if n := len(m.all(t, RequestsTotal)) - before; n != 4*7 {
		t.Errorf("%d series of requests came with the model, want %d", n, 4*7)
	}
	for name, want := range map[string]int{PromptTokensTotal: 6 * 4, PrefixExpectedTokensTotal: 1, PrefixShortfallTokensTotal: 14} {
		if n := len(m.all(t, name)); n != want {
			t.Errorf("%d series of %s came with the model, want %d", n, name, want)
		}
	}
}

func TestStepIsCounted(t *testing.T) {
	m := New(Config{})
	m.step(proxy.StepInfo{
		Provider: "sim", Model: "m", Relation: proxy.RelationFork, Status: 200, Taken: true, Completed: true, TTFT: time.Second,
		Break:   reuse.Break{Cause: prefix.CauseToolsChanged, Segment: prefix.SegmentTools},
		Usage:   prefix.ReadUsage([]byte(`{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":0}}`), nil),
		Reuse:   reuse.Account{Prompt: 100, Shared: 90, Expected: 64, Losses: []reuse.Loss{{Cause: prefix.CauseToolsChanged, Tokens: 5}, {Cause: prefix.CauseRouting, Tokens: 64}}},
		Repairs: map[string]int{prefix.RepairAnswerReserialised: 2, prefix.RepairToolsReordered: 1},
		Fork:    proxy.ForkDiverged,
	})
	want(t, m, PrefixBreaksTotal, map[string]float64{"tools_changed fork tools": 1})
	want(t, m, PrefixRepairsTotal, map[string]float64{"answer_reserialised": 2, "tools_reordered": 1})
	want(t, m, ForkHeadsTotal, map[string]float64{"diverged": 1})
	want(t, m, PrefixExpectedTokensTotal, map[string]float64{"m sim": 64})
	want(t, m, PrefixShortfallTokensTotal, map[string]float64{"tools_changed m sim": 5, "routing m sim": 64})
	want(t, m, UpstreamTTFTSeconds, map[string]float64{"": 1})
}

// TestFirstRequestBreaksNothing: there was nothing to leave.
func TestFirstRequestBreaksNothing(t *testing.T) {
	m := New(Config{})
	m.step(proxy.StepInfo{Model: "m", Status: 200, Taken: true, Break: reuse.Break{Cause: prefix.CauseColdStart}})
	m.step(proxy.StepInfo{Model: "m", Status: 200, Taken: true, Break: reuse.Break{Cause: prefix.CauseNone}})
	want(t, m, PrefixBreaksTotal, map[string]float64{})
}

// TestRefusedStepCountsNothing: the request that follows it in its place is measured, also
// where an error came with status 200.
func TestRefusedStepCountsNothing(t *testing.T) {
	for _, status := range []int{0, 200, 400, 503} {
		m := New(Config{})
		m.step(proxy.StepInfo{
			Model: "m", Relation: proxy.RelationFork, Status: status, Fork: proxy.ForkByteEqual,
			Repairs: map[string]int{prefix.RepairToolsReordered: 1},
			Break:   reuse.Break{Cause: prefix.CauseNonce, Segment: prefix.SegmentSystem},
		})
		want(t, m, ForkHeadsTotal, map[string]float64{})
		want(t, m, PrefixRepairsTotal, map[string]float64{})
		want(t, m, PrefixBreaksTotal, map[string]float64{})
	}
}

// TestBrokenAnswerHasNoAccount: what was read of the prompt is not known, and figures of
// some requests only would not compare.
func TestBrokenAnswerHasNoAccount(t *testing.T) {
	m := New(Config{})
	m.step(proxy.StepInfo{Provider: "sim", Model: "m", Status: 200, Taken: true, TTFT: time.Second,
		Usage: prefix.ReadUsage([]byte(`{"prompt_tokens":100}`), nil)})
	want(t, m, PromptTokensTotal, map[string]float64{})
	want(t, m, UpstreamTTFTSeconds, map[string]float64{"": 1})
}
