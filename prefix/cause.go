package prefix

// A Cause says why a request did not reuse, or a provider did not report, what
// the request before it had warmed. The vocabulary is closed: metrics, headers
// and explanations all use these words.
type Cause string

const (
	CauseNone             Cause = "none"              // nothing broke
	CauseColdStart        Cause = "cold_start"        // nothing was there to reuse
	CauseModelChanged     Cause = "model_changed"     // another model
	CauseParamsChanged    Cause = "params_changed"    // another field that can enter the prompt
	CauseSystemChanged    Cause = "system_changed"    // other leading system or developer items
	CauseSystemMoved      Cause = "system_moved"      // a fork child's own system text went into its tail
	CauseToolsReordered   Cause = "tools_reordered"   // the same tools in another order
	CauseToolsChanged     Cause = "tools_changed"     // tools came, went or differ
	CauseHistoryRewritten Cause = "history_rewritten" // an earlier item means something else
	CauseReserialised     Cause = "reserialised"      // an earlier item means the same in other bytes
	CauseNonce            Cause = "nonce"             // a short span differs, and all around it is constant
	CauseTTLExpiry        Cause = "ttl_expiry"        // the provider's lifetime had passed
	CauseRouting          Cause = "routing"           // equal and warm, the provider still missed
	CauseNoBoundary       Cause = "no_boundary"       // shared, but not up to a point where the provider caches
	CauseBelowMinimum     Cause = "below_minimum"     // shared, but less than the provider caches
	CauseUnreported       Cause = "unreported"        // the provider did not say
)

func (c Cause) String() string { return string(c) }

// The segments of a request that a cause points into.
const (
	SegmentModel   = "model"
	SegmentParams  = "params"
	SegmentSystem  = "system"
	SegmentTools   = "tools"
	SegmentHistory = "history"
)
