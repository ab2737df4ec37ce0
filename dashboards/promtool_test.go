package dashboards

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/metrics"
)

// promtool runs the program that comes with Prometheus. A machine without it fails the
// test: there is nothing to take its place.
func promtool(t *testing.T, input []byte, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Fatal("promtool is missing; `make deps` installs it, or says how")
	}
	command := exec.Command("promtool", args...)
	command.Stdin = bytes.NewReader(input)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestRulesAreValid(t *testing.T) { promtool(t, nil, "check", "rules", "--lint-fatal", "rules.yml") }

func TestRulesCases(t *testing.T) { promtool(t, nil, "test", "rules", "rules_test.yml") }

// TestEveryAlertHasCases: one in which it fires, and one in which it does not.
func TestEveryAlertHasCases(t *testing.T) {
	cases, err := os.ReadFile("rules_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules() {
		switch {
		case r.Alert != "" && strings.Count(string(cases), "alertname: "+r.Alert+"\n") < 3:
			t.Errorf("%s has fewer than three cases", r.Alert)
		case r.Alert != "" && !strings.Contains(string(cases), r.Summary):
			t.Errorf("no case of %s fires", r.Alert)
		}
	}
}

// filledIn replaces a board's variables as Grafana does.
func filledIn(b Board) *strings.Replacer {
	fill := []string{"$__rate_interval", "5m", "$__range", "1h", "$job", ".+", "$instance", ".+", "$tenant", ".*"}
	for _, in := range b.Inputs {
		fill = append(fill, "$"+in.Name, in.Default)
	}
	return strings.NewReplacer(fill...)
}

// TestExpressionsParse gives the dashboards' expressions, with their variables filled in,
// to the parser of Prometheus.
func TestExpressionsParse(t *testing.T) {
	var rules strings.Builder
	rules.WriteString("groups:\n  - name: panels\n    rules:\n")
	n := 0
	for _, b := range Boards() {
		variables := filledIn(b)
		for _, row := range b.Rows {
			for _, p := range row.Panels {
				for _, q := range p.Queries {
					n++
					fmt.Fprintf(&rules, "      - record: panel_%d\n        expr: %s\n", n, folded(variables.Replace(q.Expr)))
				}
			}
		}
	}
	file := filepath.Join(t.TempDir(), "panels.yml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, nil, "check", "rules", file)
}

// TestPrometheusConfig: the example's configuration is one.
func TestPrometheusConfig(t *testing.T) {
	promtool(t, nil, "check", "config", "--syntax-only", "provisioning/prometheus.yml")
}

// TestMetricsAreClean gives the metrics to the linter of Prometheus.
func TestMetricsAreClean(t *testing.T) {
	promtool(t, scrape(t, metrics.New(metrics.Config{})), "check", "metrics")
}
