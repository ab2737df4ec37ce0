package metrics

import (
	"slices"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/proxy"
	"trunkline/proxy/record"
)

// Metric describes one metric.
type Metric struct {
	Name   string
	Type   Type
	Unit   string // of one observation or of the value: tokens, seconds, …
	Labels []Label
	Help   string // one line
	// ByTenant: Config.TenantLabel adds the label tenant.
	ByTenant bool

	buckets []float64 // upper bounds of a histogram, in Unit
	// possible reports whether these label values can come together; nil: all can.
	possible func(values []string) bool
}

// Type is the Prometheus type of a metric.
type Type string

const (
	Counter   Type = "counter"
	Gauge     Type = "gauge"
	Histogram Type = "histogram"
)

// Label is a dimension of a metric.
type Label struct {
	Name   string
	Values []string // the closed set; nil when only the number of values is bounded
}

// Table returns all metrics, in the order in which README.md lists them.
func Table() []Metric {
	var (
		route    = closed("route", "chat", "responses", "messages", "other")
		outcome  = closed("outcome", proxy.OutcomeOK, proxy.OutcomeClientGone, proxy.OutcomeRefused, proxy.OutcomeProvider, proxy.OutcomeIncomplete, proxy.OutcomeUpstream, proxy.OutcomeProxy)
		relation = closed("relation", proxy.RelationRoot, proxy.RelationContinuation, proxy.RelationFork, proxy.RelationSpawn, proxy.RelationAuxiliary, proxy.RelationAnonymous)
		cache    = closed("cache", CacheRead, CacheWrite, CacheMiss, CacheUnreported)
		segment  = closed("segment", prefix.SegmentModel, prefix.SegmentParams, prefix.SegmentSystem, prefix.SegmentTools, prefix.SegmentHistory)
		breaks   = closed("cause", prefix.CauseModelChanged, prefix.CauseParamsChanged, prefix.CauseSystemChanged, prefix.CauseToolsReordered, prefix.CauseToolsChanged, prefix.CauseHistoryRewritten, prefix.CauseReserialised, prefix.CauseNonce)
		losses   = closed("cause", append(slices.Clone(breaks.Values), string(prefix.CauseColdStart), string(prefix.CauseTTLExpiry), string(prefix.CauseNoBoundary), string(prefix.CauseBelowMinimum), string(prefix.CauseRouting), string(prefix.CauseUnreported))...)
		repairs  = closed("kind", prefix.RepairSystemReserialised, prefix.RepairToolsReordered, prefix.RepairToolsReserialised, prefix.RepairFieldReserialised, prefix.RepairAnswerReserialised, prefix.RepairItemReserialised, prefix.RepairResultsReordered, prefix.RepairInsertionDropped)
		model    = Label{Name: "model"}
		provider = Label{Name: "provider"}
	)
	return []Metric{
		{Name: RequestsTotal, Type: Counter, Unit: "requests", ByTenant: true, Labels: []Label{route, model, outcome},
			Help: "Client requests that ended, by how they ended."},
		{Name: UpstreamTTFTSeconds, Type: Histogram, Unit: "seconds",
			Help:    "Time from sending a request to the provider to the first content of its answer.",
			buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}},
		{Name: ProxyOverheadSeconds, Type: Histogram, Unit: "seconds",
			Help:    "Time that the proxy itself took before the first provider request of a client request.",
			buckets: []float64{5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, .01, .025, .05, .1, .25, 1}},
		{Name: StepsPerResponse, Type: Histogram, Unit: "requests",
			Help:    "Provider requests behind one response to an identified client.",
			buckets: []float64{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}},

		{Name: PromptTokensTotal, Type: Counter, Unit: "tokens", ByTenant: true, Labels: []Label{provider, model, relation, cache},
			Help: "Prompt tokens of completed provider requests, in disjoint parts: read from the provider's cache, written to it, missed, or not reported."},
		{Name: CompletionTokensTotal, Type: Counter, Unit: "tokens", ByTenant: true,
			Help: "Completion tokens that the provider reported."},
		{Name: PrefixExpectedTokensTotal, Type: Counter, Unit: "tokens", ByTenant: true, Labels: []Label{provider, model},
			Help: "Prompt tokens that the provider should have read from its cache, by what was sent before and by its own rules."},
		{Name: PrefixShortfallTokensTotal, Type: Counter, Unit: "tokens", ByTenant: true, Labels: []Label{provider, model, losses},
			Help: "Prompt tokens that an earlier request had sent and that were not read from a cache, by why: broken prefixes, the provider's rules, and expected reads that it missed (routing) or did not report (unreported)."},
		{Name: PrefixBreaksTotal, Type: Counter, Unit: "requests", ByTenant: true, Labels: []Label{segment, breaks, relation}, possible: breakPossible,
			Help: "Provider requests that left what was sent before, by where and why."},
		{Name: PrefixRepairsTotal, Type: Counter, Unit: "items", ByTenant: true, Labels: []Label{repairs},
			Help: "Parts of requests that went up in the bytes sent before, because what the client sent means the same; and insertions that had to go with a history that the client compacted away (insertion_dropped)."},
		{Name: ForkHeadsTotal, Type: Counter, Unit: "requests", ByTenant: true, Labels: []Label{closed("result", proxy.ForkByteEqual, proxy.ForkRepaired, proxy.ForkDiverged)},
			Help: "First requests of fork children, by how their head compares with their parent's."},

		{Name: Agents, Type: Gauge, Unit: "agents", Labels: []Label{closed("status", agents.Running, agents.Idle, agents.Ready)},
			Help: "Agents in the store, seconds ago. Alike in all proxies that share a store: take the maximum, not the sum."},
		{Name: Leases, Type: Gauge, Unit: "leases", Labels: []Label{closed("state", held, lapsed)},
			Help: "Exchanges in the store that a proxy holds, or that it has stopped renewing, seconds ago. Alike in all proxies that share a store."},
		{Name: InboxEntries, Type: Gauge, Unit: "entries",
			Help: "Messages and notices that wait in all inboxes of the store, seconds ago. Alike in all proxies that share a store."},
		{Name: MessagesTotal, Type: Counter, Unit: "messages", possible: messagePossible,
			Labels: []Label{
				closed("kind", agents.Message, agents.Notice, agents.Report),
				closed("route", agents.RouteStep, agents.RouteParked, none),
				closed("outcome", accepted, agents.NotPermitted, agents.Unknown, agents.NotLive, agents.TooLong, agents.InboxFull, agents.Stale, agents.Malformed),
			},
			Help: "Messages between agents, notices that a child settled and reports of what became of a message, by when the target reads them and by why they were refused."},
		{Name: MessageDeliverySeconds, Type: Histogram, Unit: "seconds",
			Help:    "Time from a message's acceptance to the provider's acceptance of a request that holds it.",
			buckets: []float64{.01, .1, 1, 5, 15, 60, 300, 1800, 3600, 21600, 86400}},
		{Name: SettlementsTotal, Type: Counter, Unit: "activations", Labels: []Label{closed("outcome", agents.Completed, agents.Aborted, agents.MaxTokens, agents.Refusal, agents.Failed)},
			Help: "Activations of child agents that ended, by how."},

		{Name: StoreOpSeconds, Type: Histogram, Unit: "seconds", Labels: []Label{closed("op", opLoad, opCommit, opBlobs, opDelete, opEnroll, opStrike, opMembers, opRoots, opCheck)},
			Help:    "Duration of operations of the agents' store, failed ones included.",
			buckets: []float64{5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, .01, .025, .05, .1, .25, 1, 5}},
		{Name: RecordDroppedTotal, Type: Counter, Unit: "exchanges", Labels: []Label{closed("reason", record.LostQueueFull, record.LostDisk, record.LostClosed)},
			Help: "Exchanges that --record did not keep, by why: the disk was slower than the traffic (queue_full), it refused (disk), or the exchange ended after the recorder (closed). Their requests were served all the same."},
	}
}

func closed[T ~string](name string, values ...T) Label {
	l := Label{Name: name, Values: make([]string, len(values))}
	for i, v := range values {
		l.Values[i] = string(v)
	}
	return l
}

// breakPossible: most causes name one segment; other bytes for the same meaning, and
// nonces, can stand anywhere but in a model's name.
func breakPossible(values []string) bool {
	segment, cause := values[0], prefix.Cause(values[1])
	switch cause {
	case prefix.CauseModelChanged:
		return segment == prefix.SegmentModel
	case prefix.CauseParamsChanged:
		return segment == prefix.SegmentParams
	case prefix.CauseSystemChanged:
		return segment == prefix.SegmentSystem
	case prefix.CauseToolsChanged, prefix.CauseToolsReordered:
		return segment == prefix.SegmentTools
	case prefix.CauseHistoryRewritten:
		return segment == prefix.SegmentHistory
	}
	return segment != prefix.SegmentModel
}

// messagePossible: a refused message has no route, and only messages are refused.
func messagePossible(values []string) bool {
	kind, route, outcome := values[0], values[1], values[2]
	return (route == none) == (outcome != accepted) && (kind == string(agents.Message) || outcome == accepted)
}
