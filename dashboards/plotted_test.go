package dashboards

import (
	"strings"
	"testing"

	"trunkline/metrics"
)

// TestEveryMetricIsPlotted: what is counted and never looked at is not worth counting.
func TestEveryMetricIsPlotted(t *testing.T) {
	unplotted := map[string]string{} // name → why no panel shows it; none at present
	var all strings.Builder
	for _, b := range Boards() {
		all.Write(b.JSON())
	}
	for _, m := range metrics.Table() {
		plotted := strings.Contains(all.String(), m.Name+"{") || strings.Contains(all.String(), m.Name+"_bucket{")
		if why, ok := unplotted[m.Name]; plotted == ok {
			t.Errorf("%s: plotted %v, listed as unplotted %v (%s)", m.Name, plotted, ok, why)
		}
	}
}

// TestLabelsExist: a label that a metric does not have groups everything as one.
func TestLabelsExist(t *testing.T) {
	labels := map[string]bool{"le": true, "job": true, "instance": true}
	for _, m := range metrics.Table() {
		for _, l := range m.Labels {
			labels[l.Name] = true
		}
	}
	everyPanel(t, func(t *testing.T, p lintedPanel) {
		for _, q := range p.Targets {
			for _, by := range strings.Split(q.Expr, "by (")[1:] {
				list, _, _ := strings.Cut(by, ")")
				for label := range strings.SplitSeq(list, ", ") {
					if !labels[label] {
						t.Errorf("no metric has the label %s: %s", label, q.Expr)
					}
				}
			}
			for _, name := range strings.Split(q.LegendFormat, "{{")[1:] {
				label, _, _ := strings.Cut(name, "}}")
				if !strings.Contains(q.Expr, "by ("+label) && !strings.Contains(q.Expr, ", "+label+")") {
					t.Errorf("the legend shows %s, which the series of %s do not have", label, q.Expr)
				}
			}
		}
	})
}

// TestMatchedValuesExist: a matcher on a value that no metric has matches nothing, and
// shows nothing, for ever.
func TestMatchedValuesExist(t *testing.T) {
	values := map[string]bool{}
	for _, m := range metrics.Table() {
		for _, l := range m.Labels {
			for _, v := range l.Values {
				values[l.Name+"="+v] = true
			}
		}
	}
	check := func(t *testing.T, expr string) {
		for _, m := range matcher.FindAllStringSubmatch(expr, -1) {
			for v := range strings.SplitSeq(m[2], "|") {
				if m[1] != "job" && m[1] != "instance" && m[1] != "tenant" && !values[m[1]+"="+v] {
					t.Errorf("no metric has %s=%q: %s", m[1], v, expr)
				}
			}
		}
	}
	everyPanel(t, func(t *testing.T, p lintedPanel) {
		for _, q := range p.Targets {
			check(t, q.Expr)
		}
	})
	for _, r := range Rules() {
		check(t, r.Expr)
	}
}
