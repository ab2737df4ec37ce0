package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trunkline/dashboards"
	"trunkline/e2e/harness"
)

// TestDashboardsShowTraffic: a real Prometheus scrapes the proxy under traffic of every
// kind. Every expression of every panel and every recording rule must come to show
// something there, whether or not the proxy counts by tenant.
func TestDashboardsShowTraffic(t *testing.T) {
	t.Run("all together", func(t *testing.T) { showTraffic(t) })
	t.Run("by tenant", func(t *testing.T) { showTraffic(t, "--tenant-label") })
}

func showTraffic(t *testing.T, args ...string) {
	w, _ := watched(t, args...)
	p := monitor(t, w.proxy.URL)
	// A report that its parent's client does not fetch: in the families, what waits is read
	// sooner than the census may look.
	away := w.root("away")
	away.say(t, "say ready")
	w.fork("away-kid", away.id).say(t, "call send_message {\"agent_id\":\"away\",\"message\":\"found it\"}\nthen say done")
	pending := map[string]expression{}
	maps.Copy(pending, panels())
	for _, r := range dashboards.Rules() {
		if r.Record != "" {
			pending["rules.yml/"+r.Record] = expression{expr: r.Record}
		}
	}
	// A third of the forks diverge, so that alert is about to be raised.
	pending["rules.yml/alert"] = expression{expr: `ALERTS{alertname="TrunklineForksDiverge",alertstate="pending"}`}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for round := 1; len(pending) > 0; round++ {
		w.family(t, round)
		w.strangers(t, round)
		select {
		case <-again.C:
		case <-ctx.Done():
			for _, name := range slices.Sorted(maps.Keys(pending)) {
				t.Errorf("%s shows nothing: %s: %v", name, pending[name].expr, p.query(t, pending[name].expr))
			}
			return
		}
		for name, e := range pending {
			if e.shows(p.query(t, e.expr)) {
				delete(pending, name)
			}
		}
	}
	p.rulesAreHealthy(t)
}

// expression is what has to show.
type expression struct {
	expr string
	zero bool // 0 is all that can be relied on
}

// shows: something is there, and more than zeros.
func (e expression) shows(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v > 0 || e.zero && v == 0 })
}

// panels are the dashboards' expressions, with the variables that Grafana fills in.
func panels() map[string]expression {
	out := map[string]expression{}
	for _, b := range dashboards.Boards() {
		fill := []string{"$__rate_interval", "5s", "$__range", "1m", "$job", ".+", "$instance", ".+", "$tenant", ".*"}
		for _, in := range b.Inputs {
			fill = append(fill, "$"+in.Name, in.Default)
		}
		variables := strings.NewReplacer(fill...)
		for _, row := range b.Rows {
			for _, p := range row.Panels {
				for i, q := range p.Queries {
					out[fmt.Sprintf("%s/%s/%d", b.UID, p.Title, i)] = expression{
						expr: variables.Replace(q.Expr),
						// A lease is held for the moments of an exchange only, and no recording is lost here.
						zero: p.Title == "Leases" || p.Title == "Recordings lost",
					}
				}
			}
		}
	}
	return out
}

// monitored is a Prometheus that scrapes a proxy and evaluates the committed rules.
type monitored struct{ *harness.Prometheus }

func monitor(t *testing.T, target string) monitored {
	t.Helper()
	rules, err := filepath.Abs("../dashboards/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	return monitored{harness.StartPrometheus(t, fmt.Sprintf(`
global: {scrape_interval: 500ms, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
  - job_name: trunkline
    static_configs: [{targets: [%q]}]
`, rules, strings.TrimPrefix(target, "http://")))}
}

// query evaluates an expression now, and returns the values of its series that are numbers.
func (p monitored) query(t *testing.T, expr string) (values []float64) {
	t.Helper()
	var result struct {
		Result []struct{ Value [2]any }
	}
	p.api(t, "query?query="+url.QueryEscape(expr), &result)
	for _, r := range result.Result {
		text, _ := r.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%s: a value %v", expr, r.Value)
		}
		if v == v { // not NaN
			values = append(values, v)
		}
	}
	return values
}

// rulesAreHealthy: Prometheus has evaluated each rule, without an error.
func (p monitored) rulesAreHealthy(t *testing.T) {
	t.Helper()
	var result struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	p.api(t, "rules", &result)
	n := 0
	for _, g := range result.Groups {
		for _, r := range g.Rules {
			n++
			if r.Health != "ok" {
				t.Errorf("rule %s is %s: %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	if want := len(dashboards.Rules()); n != want {
		t.Errorf("Prometheus has %d rules, want %d", n, want)
	}
}

// api asks the HTTP API of Prometheus.
func (p monitored) api(t *testing.T, call string, into any) {
	t.Helper()
	response, err := http.Get(p.URL + "/api/v1/" + call)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var envelope struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil || envelope.Status != "success" {
		t.Fatalf("%s: %s, %v", call, envelope.Error, err)
	}
	if err := json.Unmarshal(envelope.Data, into); err != nil {
		t.Fatalf("%s: %v", call, err)
	}
}
