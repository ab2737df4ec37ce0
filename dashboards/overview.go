package dashboards

import "trunkline/metrics"

// failed are the outcomes of requests that were nobody's wish.
const failed = `outcome=~"provider|incomplete|upstream|proxy"`

func overview() Board {
	return Board{
		UID: "trunkline-overview", Title: "trunkline / overview",
		Description: "Traffic, errors, time to the first token, and what the proxy adds to it.",
		Rows: []Row{
			{"Traffic", []Panel{
				{Title: "Requests", Number: true, Unit: "reqps", Description: "Client requests per second.",
					Queries: []Query{{perSecond("", metrics.RequestsTotal), "requests"}}},
				{Title: "Failed", Number: true, Unit: "percentunit", Description: "Share of client requests that the provider refused, broke off or did not answer, or that failed in the proxy.",
					Queries: []Query{{share(perSecond("", metrics.RequestsTotal, failed), perSecond("", metrics.RequestsTotal)), "failed"}}},
				{Title: "Time to first token", Number: true, Unit: "s", Description: "The time within which 95 % of the provider's answers begin.",
					Queries: []Query{{quantile("0.95", "", metrics.UpstreamTTFTSeconds), "95 %"}}},
				{Title: "Overhead", Number: true, Unit: "s", Description: "The time within which 95 % of requests leave the proxy for the provider.",
					Queries: []Query{{quantile("0.95", "", metrics.ProxyOverheadSeconds), "95 %"}}},
				{Title: "Requests by outcome", Stacked: true, Unit: "reqps", Description: "Client requests by how they ended: ok; client_gone (the client left); refused (by the proxy); provider (its error was relayed); incomplete (its answer broke off, or ended without saying how); upstream (not reached, or silent); proxy (the proxy or its store failed).",
					Queries: []Query{{perSecond("outcome", metrics.RequestsTotal), "{{outcome}}"}}},
				{Title: "Failed requests", Share: true, Unit: "percentunit", Description: "Share of client requests that failed, by how.",
					Queries: []Query{{perSecond("outcome", metrics.RequestsTotal, failed) + " / on () group_left () (" + perSecond("", metrics.RequestsTotal) + " > 0)", "{{outcome}}"}}},
				{Title: "Requests by route", Stacked: true, Unit: "reqps", Description: "Client requests by API: Chat Completions, Responses, Messages, and all that is only relayed.",
					Queries: []Query{{perSecond("route", metrics.RequestsTotal), "{{route}}"}}},
				{Title: "Requests by model", Stacked: true, Unit: "reqps", Description: "Client requests by model. Models beyond the first hundred are shown as other, requests without one as none.",
					Queries: []Query{{perSecond("model", metrics.RequestsTotal), "{{model}}"}}},
			}},
			{"Latency", []Panel{
				{Title: "Time to first token", Unit: "s", Description: "From sending a request to the provider to the first content of its answer.",
					Queries: quantiles(metrics.UpstreamTTFTSeconds)},
				{Title: "Overhead of the proxy", Unit: "s", Description: "From having a request's body to sending the first provider request: parsing, matching, storing, composing.",
					Queries: quantiles(metrics.ProxyOverheadSeconds)},
				{Title: "Provider requests per response", Unit: "short", Description: "How many provider requests stand behind one response to an identified client: 1, and one more for each step that only called the proxy's tools or that a message extended.",
					Queries: []Query{
						{share(perSecond("", metrics.StepsPerResponse+"_sum"), perSecond("", metrics.StepsPerResponse+"_count")), "mean"},
						{quantile("0.99", "", metrics.StepsPerResponse), "99 %"},
					}},
			}},
			{"Tokens", []Panel{
				{Title: "Prompt tokens", Stacked: true, Unit: "cps", Description: "Prompt tokens per second, in disjoint parts: read from the provider's cache, written to it, missed, or not reported by the provider.",
					Queries: []Query{{perSecond("cache", metrics.PromptTokensTotal), "{{cache}}"}}},
				{Title: "Completion tokens", Unit: "cps", Description: "Completion tokens per second, as far as the provider reports them.",
					Queries: []Query{{perSecond("", metrics.CompletionTokensTotal), "completion"}}},
			}},
			{"Store and recordings", []Panel{
				{Title: "Store operations", Stacked: true, Unit: "ops", Description: "Operations of the agents' store per second.",
					Queries: []Query{{perSecond("op", metrics.StoreOpSeconds+"_count"), "{{op}}"}}},
				{Title: "Duration of store operations", Unit: "s", Description: "The time within which 95 % of the store's operations end, failed ones included.",
					Queries: []Query{{quantile("0.95", "op", metrics.StoreOpSeconds), "{{op}}"}}},
				{Title: "Recordings lost", Stacked: true, Unit: "ops", Description: "Exchanges per second that --record did not keep, by why: queue_full (the disk is slower than the traffic), disk (it refused), closed (the exchange ended after the recorder). Requests are served all the same.",
					Queries: []Query{{perSecond("reason", metrics.RecordDroppedTotal), "{{reason}}"}}},
			}},
			{"Process", []Panel{
				{Title: "CPU", Unit: "short", Description: "Processor cores that each proxy uses.",
					Queries: []Query{{perSecond("instance", "process_cpu_seconds_total"), "{{instance}}"}}},
				{Title: "Memory", Unit: "bytes", Description: "Memory that each proxy has resident.",
					Queries: []Query{{sum("instance", of("process_resident_memory_bytes")), "{{instance}}"}}},
				{Title: "Goroutines", Unit: "short", Description: "Goroutines of each proxy. A curve that only grows is a leak.",
					Queries: []Query{{sum("instance", of("go_goroutines")), "{{instance}}"}}},
				{Title: "Open files", Unit: "short", Description: "File descriptors of each proxy: its connections and its store.",
					Queries: []Query{{sum("instance", of("process_open_fds")), "{{instance}}"}}},
			}},
		},
	}
}
