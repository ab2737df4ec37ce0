package dashboards

import (
	"fmt"
	"slices"
	"strings"

	"trunkline/metrics"
)

// Query is one expression of a panel, and how its series are labelled.
type Query struct {
	Expr   string
	Legend string
}

// of selects a metric's series of the chosen jobs, instances and, where it is counted by
// tenant, tenants. Matchers are added as they are, such as `cache="read"`.
func of(metric string, matchers ...string) string {
	chosen := []string{`job=~"$job"`, `instance=~"$instance"`}
	if slices.ContainsFunc(metrics.Table(), func(m metrics.Metric) bool { return m.ByTenant && m.Name == metric }) {
		chosen = append(chosen, ofTenant)
	}
	return metric + "{" + strings.Join(append(chosen, matchers...), ",") + "}"
}

// ofTenant also matches series without the label, as proxies serve them that were not told to
// count by tenant, when all tenants are chosen.
const ofTenant = `tenant=~"$tenant"`

// perSecond is the rate of a counter, by labels ("" for one sum).
func perSecond(by, metric string, matchers ...string) string {
	return sum(by, fmt.Sprintf("rate(%s[$__rate_interval])", of(metric, matchers...)))
}

// within is the increase of a counter in the dashboard's time range.
func within(by, metric string, matchers ...string) string {
	return sum(by, fmt.Sprintf("increase(%s[$__range])", of(metric, matchers...)))
}

// stored is the value of a gauge that all proxies on one store report alike.
func stored(by, metric string) string {
	within := "job"
	if by != "" {
		within += ", " + by
	}
	return sum(by, fmt.Sprintf("max by (%s) (%s)", within, of(metric)))
}

// share divides two expressions where the second one is not 0.
func share(part, whole string) string { return part + " / (" + whole + " > 0)" }

func sum(by, expr string) string {
	if by == "" {
		return "sum(" + expr + ")"
	}
	return "sum by (" + by + ") (" + expr + ")"
}

// quantiles are queries of a histogram's median and two high quantiles.
func quantiles(metric string) []Query {
	var qs []Query
	for _, q := range []struct{ q, name string }{{"0.5", "half"}, {"0.95", "95 %"}, {"0.99", "99 %"}} {
		qs = append(qs, Query{quantile(q.q, "", metric), q.name})
	}
	return qs
}

// quantile is a histogram's quantile, by one label ("" for one in all).
func quantile(q, by, metric string) string {
	le := "le"
	if by != "" {
		le += ", " + by
	}
	return fmt.Sprintf("histogram_quantile(%s, %s)", q, perSecond(le, metric+"_bucket"))
}
