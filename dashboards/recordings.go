package dashboards

import (
	"fmt"

	"trunkline/metrics"
)

// The names of the recorded series.
const (
	hitRatioByRelation = "job_relation:trunkline_prefix_hit_ratio:rate5m"
	hitRatioNow        = "job:trunkline_prefix_hit_ratio:rate15m"
	hitRatioUsual      = "job:trunkline_prefix_hit_ratio:rate1d"
	reportedTokens     = "job:trunkline_prompt_tokens_reported:increase15m"
	missedRatio        = "job:trunkline_prefix_missed_ratio:rate15m"
	missedTokens       = "job:trunkline_prefix_missed_tokens:increase15m"
	divergedRatio      = "job:trunkline_fork_heads_diverged_ratio:increase30m"
	divergedForks      = "job:trunkline_fork_heads_diverged:increase30m"
	waitingEntries     = "job:trunkline_inbox_entries:max"
)

// recordings are the series that alerts compare. All are by job; what a provider did not
// report is in none of the ratios.
func recordings() []Rule {
	tokens := func(function, by, span string, matchers string) string {
		return fmt.Sprintf("sum by (%s) (%s(%s{%s}[%s]))", by, function, metrics.PromptTokensTotal, matchers, span)
	}
	hits := func(span string) string {
		return share(tokens("rate", "job", span, read+","+branches), tokens("rate", "job", span, reported+","+branches))
	}
	counter := func(function, metric, matchers, span string) string {
		return fmt.Sprintf("sum by (job) (%s(%s%s[%s]))", function, metric, matchers, span)
	}
	missed, unreported := `{cause="routing"}`, `{cause="unreported"}`
	return []Rule{
		{Record: hitRatioByRelation, Expr: share(tokens("rate", "job, relation", "5m", read), tokens("rate", "job, relation", "5m", reported))},
		{Record: hitRatioNow, Expr: hits("15m")},
		{Record: hitRatioUsual, Expr: hits("1d")},
		{Record: reportedTokens, Expr: tokens("increase", "job", "15m", reported+","+branches)},
		{Record: missedRatio, Expr: share(
			counter("rate", metrics.PrefixShortfallTokensTotal, missed, "15m"),
			"("+counter("rate", metrics.PrefixExpectedTokensTotal, "", "15m")+" - "+counter("rate", metrics.PrefixShortfallTokensTotal, unreported, "15m")+")")},
		{Record: missedTokens, Expr: counter("increase", metrics.PrefixShortfallTokensTotal, missed, "15m")},
		{Record: divergedRatio, Expr: share(
			counter("increase", metrics.ForkHeadsTotal, `{result="diverged"}`, "30m"),
			counter("increase", metrics.ForkHeadsTotal, "", "30m"))},
		{Record: divergedForks, Expr: counter("increase", metrics.ForkHeadsTotal, `{result="diverged"}`, "30m")},
		{Record: waitingEntries, Expr: "max by (job) (" + metrics.InboxEntries + ")"},
	}
}
