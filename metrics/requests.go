package metrics

import (
	"trunkline/prefix"
	"trunkline/proxy"
)

// Proxy returns hooks that count requests, prompts and their reuse.
func (m *Metrics) Proxy() proxy.Trace {
	return proxy.Trace{Request: m.request, Step: m.step}
}

func (m *Metrics) request(i proxy.RequestInfo) {
	m.asked(i.Tenant).requests.WithLabelValues(i.Route, m.models.label(i.Model), string(i.Outcome)).Inc()
	if i.Overhead > 0 {
		m.overhead.Observe(i.Overhead.Seconds())
	}
	if i.Steps > 0 {
		m.steps.Observe(float64(i.Steps))
	}
}

// step counts a provider request. One that the provider did not take is nothing but a
// request: its prompt was not read, and whoever repeats it is measured then.
func (m *Metrics) step(i proxy.StepInfo) {
	if !i.Taken {
		return
	}
	t := m.served(i.Tenant)
	model, _ := m.models.claim(i.Model)
	if _, fresh := t.models.claim(model); fresh {
		t.open(i.Provider, model)
	}
	if i.TTFT > 0 {
		m.ttft.Observe(i.TTFT.Seconds())
	}
	if i.Fork != "" {
		t.forks.WithLabelValues(string(i.Fork)).Inc()
	}
	for kind, n := range i.Repairs {
		t.repairs.WithLabelValues(kind).Add(float64(n))
	}
	if i.Break.Cause != prefix.CauseNone && i.Break.Segment != "" {
		t.breaks.WithLabelValues(i.Break.Segment, string(i.Break.Cause), string(i.Relation)).Inc()
	}
	if i.Completed {
		t.tokens(i, model)
	}
}

// tokens counts the account of a completed request.
func (t *traffic) tokens(i proxy.StepInfo, model string) {
	read, write, miss, unreported := i.Usage.Parts()
	if !i.Usage.Prompt.Known {
		unreported = max(0, i.Reuse.Prompt-read-write) // estimated
	}
	for _, part := range [...]struct {
		cache  string
		tokens int64
	}{{CacheRead, read}, {CacheWrite, write}, {CacheMiss, miss}, {CacheUnreported, unreported}} {
		if part.tokens > 0 {
			t.prompt.WithLabelValues(i.Provider, model, string(i.Relation), part.cache).Add(float64(part.tokens))
		}
	}
	t.completion.WithLabelValues().Add(float64(i.Usage.Completion.N))
	t.expected.WithLabelValues(i.Provider, model).Add(float64(i.Reuse.Expected))
	for _, loss := range i.Reuse.Losses {
		t.shortfall.WithLabelValues(i.Provider, model, string(loss.Cause)).Add(float64(loss.Tokens))
	}
}
