package metrics

// The names of the metrics. Dashboards and rules are written with these.
const (
	RequestsTotal              = "trunkline_requests_total"
	PromptTokensTotal          = "trunkline_prompt_tokens_total"
	CompletionTokensTotal      = "trunkline_completion_tokens_total"
	PrefixExpectedTokensTotal  = "trunkline_prefix_expected_tokens_total"
	PrefixShortfallTokensTotal = "trunkline_prefix_shortfall_tokens_total"
	PrefixBreaksTotal          = "trunkline_prefix_breaks_total"
	PrefixRepairsTotal         = "trunkline_prefix_repairs_total"
	ForkHeadsTotal             = "trunkline_fork_heads_total"
	Agents                     = "trunkline_agents"
	Leases                     = "trunkline_leases"
	InboxEntries               = "trunkline_inbox_entries"
	MessagesTotal              = "trunkline_messages_total"
	MessageDeliverySeconds     = "trunkline_message_delivery_seconds"
	SettlementsTotal           = "trunkline_settlements_total"
	UpstreamTTFTSeconds        = "trunkline_upstream_ttft_seconds"
	ProxyOverheadSeconds       = "trunkline_proxy_overhead_seconds"
	StepsPerResponse           = "trunkline_steps_per_response"
	StoreOpSeconds             = "trunkline_store_op_seconds"
	RecordDroppedTotal         = "trunkline_record_dropped_total"
)

// The values of the label cache: what became of a prompt's tokens.
const (
	CacheRead       = "read"       // the provider read them from its cache
	CacheWrite      = "write"      // it wrote them to its cache, and bills that
	CacheMiss       = "miss"       // it processed them
	CacheUnreported = "unreported" // it did not say
)

// The values of the label op: the calls of agents.Store.
const (
	opLoad    = "load"
	opCommit  = "commit"
	opBlobs   = "blobs"
	opDelete  = "delete"
	opEnroll  = "enroll"
	opStrike  = "strike"
	opMembers = "members"
	opRoots   = "roots"
	opCheck   = "check"
)

const (
	none     = "none"     // the label's subject does not exist: a request without a model, a refused message's route
	other    = "other"    // a model beyond those that get a series of their own
	accepted = "accepted" // a message's outcome when it was not refused
	held     = "held"     // a lease that its holder has renewed in time
	lapsed   = "lapsed"   // one that it has not
)
