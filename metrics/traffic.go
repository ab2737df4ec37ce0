package metrics

import "github.com/prometheus/client_golang/prometheus"

// traffic is what is counted of requests and their prompts: everybody's, or one tenant's.
type traffic struct {
	counters
	models bounded // those whose series are open
}

type counters struct {
	requests, prompt, completion, expected, shortfall, breaks, repairs, forks *prometheus.CounterVec
}

// each calls do with every counter and its metric's name.
func (c *counters) each(do func(name string, counter **prometheus.CounterVec)) {
	do(RequestsTotal, &c.requests)
	do(PromptTokensTotal, &c.prompt)
	do(CompletionTokensTotal, &c.completion)
	do(PrefixExpectedTokensTotal, &c.expected)
	do(PrefixShortfallTokensTotal, &c.shortfall)
	do(PrefixBreaksTotal, &c.breaks)
	do(PrefixRepairsTotal, &c.repairs)
	do(ForkHeadsTotal, &c.forks)
}

// open makes a model's series, with the value 0. Without a provider, which no request was
// sent to, there are none of tokens.
func (c *counters) open(provider, model string) {
	r := registrar{table: Table()}
	c.each(func(name string, counter **prometheus.CounterVec) {
		m := r.find(name, Counter).fix("model", model)
		if provider != "" {
			m = m.fix("provider", provider)
		}
		m.each(func(values []string) { (*counter).WithLabelValues(values...) })
	})
}
