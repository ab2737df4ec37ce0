package dashboards

import (
	"fmt"

	"trunkline/metrics"
)

const (
	read     = `cache="read"`
	written  = `cache="write"`
	reported = `cache=~"read|write|miss"`
	silent   = `cache="unreported"`
	branches = `relation=~"continuation|fork"`
)

// saved is what reading from caches was worth in dashboard time, less what writing them
// cost, in uncached tokens: a token that is read costs $read_ratio of one, one that is
// written $write_ratio.
func saved() string {
	return fmt.Sprintf("(%s * (1 - $read_ratio) - %s * ($write_ratio - 1))",
		within("", metrics.PromptTokensTotal, read), within("", metrics.PromptTokensTotal, written))
}

func reuse() Board {
	tokens := metrics.PromptTokensTotal
	return Board{
		UID: "trunkline-reuse", Title: "trunkline / prefix reuse",
		Description: "What of each prompt should have come from the provider's cache, what did, and why the rest did not.",
		Inputs: []Input{
			{"input_price", "Price of 1M tokens", "1.25", "Price of a million uncached prompt tokens, in dollars."},
			{"read_ratio", "Read ratio", "0.1", "Price of a token read from the cache, as a share of an uncached one."},
			{"write_ratio", "Write ratio", "1", "Price of a token written to the cache, as a share of an uncached one; 1 where writing costs nothing extra."},
		},
		Rows: []Row{
			{"In all", []Panel{
				{Title: "Hit rate", Number: true, Unit: "percentunit", Description: "Share of the reported prompt tokens that were read from the provider's cache, in the time range.",
					Queries: []Query{{share(within("", tokens, read), within("", tokens, reported)), "hit rate"}}},
				{Title: "Expected tokens that were read", Number: true, Unit: "percentunit", Description: "Tokens read from the cache as a share of those that should have been, in the time range. More than 100 %: the provider keeps more than it promises.",
					Queries: []Query{{share(within("", tokens, read), "("+within("", metrics.PrefixExpectedTokensTotal)+" - "+within("", metrics.PrefixShortfallTokensTotal, `cause="unreported"`)+")"), "read"}}},
				{Title: "Not reported", Number: true, Unit: "percentunit", Description: "Share of the prompt tokens of which the provider did not say whether it read them from its cache. They enter no hit rate.",
					Queries: []Query{{share(within("", tokens, silent), within("", tokens)), "unreported"}}},
				{Title: "Tokens saved", Number: true, Unit: "short", Description: "Uncached tokens that the reads were worth in the time range, less what the writes cost more.",
					Queries: []Query{{saved(), "tokens"}}},
				{Title: "Money saved", Number: true, Unit: "currencyUSD", Description: "The tokens saved at the price above.",
					Queries: []Query{{saved() + " * $input_price / 1e6", "money"}}},
			}},
			{"Reuse", []Panel{
				{Title: "Hit rate by relation", Share: true, Unit: "percentunit", Description: "Share of the reported prompt tokens that were read from the cache, weighted by tokens, by what a request is to those before it: a root's first, a continuation, a fork child's first, a spawn's first, auxiliary, or anonymous.",
					Queries: []Query{{share(perSecond("relation", tokens, read), perSecond("relation", tokens, reported)), "{{relation}}"}}},
				{Title: "Expected and reported", Unit: "cps", Description: "Tokens per second that should have been read from the cache, that the provider says it read, and that it should have read but says nothing about.",
					Queries: []Query{
						{perSecond("", metrics.PrefixExpectedTokensTotal), "expected"},
						{perSecond("", tokens, read), "read"},
						{perSecond("", metrics.PrefixShortfallTokensTotal, `cause="unreported"`), "expected, unreported"},
					}},
				{Title: "Expected tokens that were read, by model", Unit: "percentunit", Description: "Tokens read from the cache as a share of those that should have been, by model. More than 100 %: the provider keeps more than it promises. What it did not report is in neither.",
					Queries: []Query{{share(perSecond("model", tokens, read), "("+perSecond("model", metrics.PrefixExpectedTokensTotal)+" - "+perSecond("model", metrics.PrefixShortfallTokensTotal, `cause="unreported"`)+")"), "{{model}}"}}},
				{Title: "Missed by model", Stacked: true, Unit: "cps", Description: "Tokens per second that the provider should have had in its cache and did not read from it (routing), by model.",
					Queries: []Query{{perSecond("model", metrics.PrefixShortfallTokensTotal, `cause="routing"`), "{{model}}"}}},
				{Title: "Shortfall by cause", Stacked: true, Unit: "cps", Description: "Tokens per second that an earlier request had sent and that were not read from a cache. routing: the provider should have had them and missed; ttl_expiry, below_minimum, no_boundary, cold_start: its rules or its state left no more to expect; the others: the request left what was sent before.",
					Queries: []Query{{perSecond("cause", metrics.PrefixShortfallTokensTotal) + " > 0", "{{cause}}"}}},
				{Title: "Prompt tokens by part", Stacked: true, Unit: "cps", Description: "Prompt tokens per second of agents' continuations and forks: read, written, missed, or not reported.",
					Queries: []Query{{perSecond("cache", tokens, branches), "{{cache}}"}}},
			}},
			{"Breaks and repairs", []Panel{
				{Title: "Breaks by segment", Stacked: true, Unit: "reqps", Description: "Requests per second that left what was sent before, by the segment in which they did: model, params, system, tools or history.",
					Queries: []Query{{perSecond("segment", metrics.PrefixBreaksTotal), "{{segment}}"}}},
				{Title: "Breaks by cause", Stacked: true, Unit: "reqps", Description: "Requests per second that left what was sent before, by why.",
					Queries: []Query{{perSecond("cause", metrics.PrefixBreaksTotal), "{{cause}}"}}},
				{Title: "Breaks by relation", Stacked: true, Unit: "reqps", Description: "Requests per second that left what was sent before, by what they are to it.",
					Queries: []Query{{perSecond("relation", metrics.PrefixBreaksTotal), "{{relation}}"}}},
				{Title: "Fork heads", Stacked: true, Unit: "reqps", Description: "First requests of fork children per second: byte_equal (the parent's head as it is), repaired (equal once the client's other bytes for the same meaning were left out), diverged (the child asked for another one, which costs the whole prefix).",
					Queries: []Query{{perSecond("result", metrics.ForkHeadsTotal), "{{result}}"}}},
				{Title: "Repairs", Stacked: true, Unit: "cps", Description: "Parts of requests per second that went up in the bytes sent before, because what the client sent means the same.",
					Queries: []Query{{perSecond("kind", metrics.PrefixRepairsTotal), "{{kind}}"}}},
				{Title: "Tokens saved", Unit: "cps", Description: "Uncached tokens per second that the reads are worth, less what the writes cost more.",
					Queries: []Query{{fmt.Sprintf("%s * (1 - $read_ratio) - %s * ($write_ratio - 1)", perSecond("", tokens, read), perSecond("", tokens, written)), "saved"}}},
			}},
		},
	}
}
