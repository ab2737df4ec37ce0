package dashboards

import "fmt"

// What an alert is not raised for: fewer tokens or forks than these in its span are an
// accident of one conversation.
const (
	fewTokens = 20_000
	fewForks  = 3
)

func alerts() []Rule {
	return []Rule{
		{
			Alert:    "TrunklineHitRateCollapsed",
			Expr:     fmt.Sprintf("%s < 0.5 * %s\n  and %s > %d", hitRatioNow, hitRatioUsual, reportedTokens, fewTokens),
			For:      "10m",
			Severity: "warning",
			Summary:  "Agents reuse less than half of what they usually do",
			Description: "In {{ $labels.job }} continuations and forks read {{ $value | humanizePercentage }} of their prompt tokens from the provider's cache, less than half of the last day's share. " +
				"See breaks and shortfall by cause on the dashboard of prefix reuse: a client that changed its system prompt, tools or history shows there.",
		},
		{
			Alert:    "TrunklineForksDiverge",
			Expr:     fmt.Sprintf("%s > 0.1\n  and %s > %d", divergedRatio, divergedForks, fewForks),
			For:      "5m",
			Severity: "warning",
			Summary:  "Fork children do not start on their parent's prefix",
			Description: "In {{ $labels.job }} {{ $value | humanizePercentage }} of the fork children asked for another head than their parent's (a tool, model or setting of their own), so the provider reads the whole inherited history again. " +
				"What is only the child's belongs behind the history: its task, not its tools or system prompt.",
		},
		{
			Alert:    "TrunklineInboxGrows",
			Expr:     fmt.Sprintf("%s > 20\n  and %s > %s offset 15m", waitingEntries, waitingEntries, waitingEntries),
			For:      "15m",
			Severity: "warning",
			Summary:  "Messages wait and become more",
			Description: "In {{ $labels.job }} {{ $value }} messages and notices wait for agents whose clients do not call, more than a quarter of an hour ago. " +
				"An inbox refuses messages when 64 wait in it.",
		},
		{
			Alert:    "TrunklineProviderMissesWarmPrefixes",
			Expr:     fmt.Sprintf("%s > 0.25\n  and %s > %d", missedRatio, missedTokens, fewTokens),
			For:      "15m",
			Severity: "warning",
			Summary:  "The provider misses prefixes that it should have in its cache",
			Description: "In {{ $labels.job }} the provider did not read {{ $value | humanizePercentage }} of the tokens that were sent before, unchanged and within its cache's lifetime. " +
				"It spreads one conversation over several machines, or evicts early: prompt_cache_key, fewer replicas or a larger cache help.",
		},
	}
}
