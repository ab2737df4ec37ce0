package metrics

import (
	"testing"
	"time"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
)

// The hooks are called once for each request, never for an event of an answer.
func BenchmarkRequest(b *testing.B) {
	m := New(Config{})
	step := proxy.StepInfo{
		Provider: "sim", Model: "m", Relation: proxy.RelationContinuation, Status: 200, Taken: true, Completed: true, TTFT: time.Second,
		Usage: prefix.ReadUsage([]byte(`{"prompt_tokens":8000,"completion_tokens":90,"prompt_tokens_details":{"cached_tokens":7936}}`), nil),
		Reuse: reuse.Account{Prompt: 8000, Shared: 7990, Expected: 7984, Losses: []reuse.Loss{{Cause: prefix.CauseRouting, Tokens: 48}}},
	}
	request := proxy.RequestInfo{Route: "chat", Model: "m", Outcome: proxy.OutcomeOK, Steps: 1, Overhead: time.Millisecond}
	b.ReportAllocs()
	for b.Loop() {
		m.step(step)
		m.request(request)
	}
}

// TestHooksAllocateNothing: counting a request costs no garbage.
func TestHooksAllocateNothing(t *testing.T) {
	m := New(Config{})
	step := proxy.StepInfo{
		Provider: "sim", Model: "m", Relation: proxy.RelationFork, Status: 200, Taken: true, Completed: true, TTFT: time.Second, Fork: proxy.ForkByteEqual,
		Usage: prefix.ReadUsage([]byte(`{"prompt_tokens":8000,"prompt_tokens_details":{"cached_tokens":7936}}`), nil),
		Break: reuse.Break{Cause: prefix.CauseNonce, Segment: prefix.SegmentSystem},
	}
	request := proxy.RequestInfo{Route: "chat", Model: "m", Outcome: proxy.OutcomeOK, Steps: 1, Overhead: time.Millisecond}
	m.step(step)
	if n := testing.AllocsPerRun(100, func() { m.step(step); m.request(request) }); n > 0 {
		t.Errorf("%v allocations for a request", n)
	}
}
