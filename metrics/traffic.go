package metrics

import "github.com/prometheus/client_golang/prometheus"

// traffic is what is counted of requests and their prompts.
type traffic struct {
	requests, prompt, completion, expected, shortfall, breaks, repairs, forks *prometheus.CounterVec
}

// each calls do with every counter and its metric's name.
func (t *traffic) each(do func(name string, counter **prometheus.CounterVec)) {
	do(RequestsTotal, &t.requests)
	do(PromptTokensTotal, &t.prompt)
	do(CompletionTokensTotal, &t.completion)
	do(PrefixExpectedTokensTotal, &t.expected)
	do(PrefixShortfallTokensTotal, &t.shortfall)
	do(PrefixBreaksTotal, &t.breaks)
	do(PrefixRepairsTotal, &t.repairs)
	do(ForkHeadsTotal, &t.forks)
}

// open makes a model's series, with the value 0. Without a provider, which no request was
// sent to, there are none of tokens.
func (t *traffic) open(provider, model string) {
	r := registrar{table: Table()}
	t.each(func(name string, counter **prometheus.CounterVec) {
		m := r.find(name, Counter).fix("model", model)
		if provider != "" {
			m = m.fix("provider", provider)
		}
		m.each(func(values []string) { (*counter).WithLabelValues(values...) })
	})
}
