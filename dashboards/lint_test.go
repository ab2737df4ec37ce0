package dashboards

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// linted is a dashboard as grafana/dashboard-linter sees it.
type linted struct {
	Title, Description string
	Editable           bool
	Templating         struct {
		List []struct {
			Name, Label, Type, Query, AllValue string
			Refresh                            int
			Multi, IncludeAll                  bool
			Datasource                         struct{ UID string }
		}
	}
	Panels []lintedPanel
}

type lintedPanel struct {
	ID                       int
	Type, Title, Description string
	Datasource               struct{ Type, UID string }
	GridPos                  struct{ H, W, X, Y int }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Targets                  []struct {
		Expr, LegendFormat, RefID string
		Datasource                struct{ UID string }
	}
}

// committed returns the committed dashboards by file.
func committed(t *testing.T) map[string]linted {
	t.Helper()
	boards := map[string]linted{}
	for _, b := range Boards() {
		data, err := os.ReadFile(b.UID + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var l linted
		if err := json.Unmarshal(data, &l); err != nil {
			t.Fatal(err)
		}
		boards[b.UID+".json"] = l
	}
	return boards
}

// everyPanel calls do for each panel that shows data.
func everyPanel(t *testing.T, do func(t *testing.T, p lintedPanel)) {
	for file, board := range committed(t) {
		for _, p := range board.Panels {
			if p.Type != "row" {
				t.Run(file+"/"+p.Title, func(t *testing.T) { do(t, p) })
			}
		}
	}
}

// TestVariables: template-datasource-rule, template-job-rule, template-instance-rule and
// template-on-time-change-reload, and uneditable-dashboard.
func TestVariables(t *testing.T) {
	for file, board := range committed(t) {
		if board.Editable || board.Title == "" || board.Description == "" {
			t.Errorf("%s is editable, or has no title or description", file)
		}
		for i, want := range []struct{ name, label, kind string }{
			{"datasource", "Data source", "datasource"}, {"job", "Job", "query"}, {"instance", "Instance", "query"},
		} {
			v := board.Templating.List[i]
			if v.Name != want.name || v.Label != want.label || v.Type != want.kind {
				t.Errorf("%s: variable %d is %s %q, a %s; want %v", file, i, v.Name, v.Label, v.Type, want)
			}
			switch {
			case v.Type == "datasource" && v.Query != "prometheus":
				t.Errorf("%s: the data source is of %s", file, v.Query)
			case v.Type == "query" && (!v.Multi || !v.IncludeAll || v.AllValue != ".+" || v.Refresh != 2 || v.Datasource.UID != "${datasource}" || !strings.HasPrefix(v.Query, "label_values(")):
				t.Errorf("%s: the variable %s is %+v", file, v.Name, v)
			}
		}
	}
}

// TestTenantVariable: it is on the boards that something reads it on, where it can choose one
// and leaves those in who have none.
func TestTenantVariable(t *testing.T) {
	for _, b := range Boards() {
		used := strings.Contains(string(b.JSON()), `tenant=~\"$tenant\"`)
		found := false
		for _, v := range committed(t)[b.UID+".json"].Templating.List {
			if v.Name == "tenant" {
				found = true
				if v.Type != "query" || !v.Multi || !v.IncludeAll || v.AllValue != ".*" || v.Refresh != 2 {
					t.Errorf("%s: %+v", b.UID, v)
				}
			}
		}
		if found != used {
			t.Errorf("%s: the variable is there: %v, and used: %v", b.UID, found, used)
		}
	}
}

// TestInputsAreUsed: a variable that nothing reads misleads.
func TestInputsAreUsed(t *testing.T) {
	for _, b := range Boards() {
		for _, in := range b.Inputs {
			if !strings.Contains(string(b.JSON()), "$"+in.Name) {
				t.Errorf("%s: nothing uses $%s", b.UID, in.Name)
			}
		}
	}
}

// TestPanels: panel-datasource-rule, panel-title-description-rule, panel-units-rule and
// panel-no-targets-rule.
func TestPanels(t *testing.T) {
	units := map[string]bool{"short": true, "percentunit": true, "s": true, "bytes": true, "reqps": true, "cps": true, "ops": true, "currencyUSD": true}
	everyPanel(t, func(t *testing.T, p lintedPanel) {
		switch {
		case p.Title == "" || len(p.Description) < 10 || !strings.HasSuffix(p.Description, "."):
			t.Errorf("title %q, description %q", p.Title, p.Description)
		case !units[p.FieldConfig.Defaults.Unit]:
			t.Errorf("unit %q", p.FieldConfig.Defaults.Unit)
		case p.Datasource.UID != "${datasource}" || p.Datasource.Type != "prometheus":
			t.Errorf("data source %+v", p.Datasource)
		case len(p.Targets) == 0:
			t.Error("nothing is shown")
		}
		seen := map[string]bool{}
		for _, q := range p.Targets {
			if q.Expr == "" || q.LegendFormat == "" || q.RefID == "" || q.Datasource.UID != "${datasource}" {
				t.Errorf("incomplete: %+v", q)
			}
			if seen[q.RefID] {
				t.Errorf("two queries are called %s", q.RefID)
			}
			seen[q.RefID] = true
		}
	})
}

var (
	selector = regexp.MustCompile(`\b((?:trunkline|process|go)_[a-z0-9_]+)(\{[^}]*\})?(\[[^\]]*\])?`)
	matcher  = regexp.MustCompile(`([a-z]+)(?:=~|!=|=)"([^"]*)"`)
	counted  = regexp.MustCompile(`(_total|_bucket|_sum|_count)$`)
)

// TestExpressions: target-job-rule, target-instance-rule, target-rate-interval-rule and
// target-counter-agg-rule.
func TestExpressions(t *testing.T) {
	everyPanel(t, func(t *testing.T, p lintedPanel) {
		for _, q := range p.Targets {
			found := selector.FindAllStringSubmatchIndex(q.Expr, -1)
			if len(found) == 0 {
				t.Errorf("no selector in %s", q.Expr)
			}
			for _, at := range found {
				group := func(i int) string {
					if at[2*i] < 0 {
						return ""
					}
					return q.Expr[at[2*i]:at[2*i+1]]
				}
				name, matchers, span := group(1), group(2), group(3)
				before := q.Expr[:at[0]]
				rate, increase := strings.HasSuffix(before, "rate("), strings.HasSuffix(before, "increase(")
				switch {
				case !strings.Contains(matchers, `job=~"$job"`) || !strings.Contains(matchers, `instance=~"$instance"`):
					t.Errorf("%s%s is not of the job and instance chosen", name, matchers)
				case counted.MatchString(name) != (rate || increase):
					t.Errorf("%s: a counter wants rate or increase, a gauge wants neither: %s", name, q.Expr)
				case rate && span != "[$__rate_interval]", increase && span != "[$__range]", !rate && !increase && span != "":
					t.Errorf("%s over %s", name, span)
				}
			}
		}
	})
}

// TestGrid: no two panels of a dashboard overlap, none leaves the page, and no id is used
// twice.
func TestGrid(t *testing.T) {
	for file, board := range committed(t) {
		taken, ids := map[[2]int]string{}, map[int]bool{}
		for _, p := range board.Panels {
			if ids[p.ID] {
				t.Errorf("%s: two panels have the id %d", file, p.ID)
			}
			ids[p.ID] = true
			g := p.GridPos
			if g.X < 0 || g.X+g.W > gridWidth || g.W == 0 || g.H == 0 {
				t.Errorf("%s: %q leaves the page: %+v", file, p.Title, g)
			}
			for x := g.X; x < g.X+g.W; x++ {
				for y := g.Y; y < g.Y+g.H; y++ {
					if other, ok := taken[[2]int{x, y}]; ok {
						t.Fatalf("%s: %q and %q overlap", file, p.Title, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}
