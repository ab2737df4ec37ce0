package dashboards

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/metrics"
	"trunkline/prefix"
	"trunkline/proxy"
)

// TestAbsentZeroAndSome follows what a provider says of its cache, nothing, 0 or a number,
// from its usage object through the metrics to what the panels show: no hit rate, one of 0,
// and one of its own.
func TestAbsentZeroAndSome(t *testing.T) {
	panels := map[string]string{} // title → expression
	for _, row := range reuse().Rows {
		for _, p := range row.Panels {
			panels[p.Title] = filledIn(reuse()).Replace(p.Queries[0].Expr)
		}
	}
	for details, shows := range map[string]struct{ hits, silent string }{
		`null`:                 {"", `{labels: '{}', value: 1}`},
		`{"cached_tokens":0}`:  {`{labels: '%s', value: 0}`, `{labels: '{}', value: 0}`},
		`{"cached_tokens":50}`: {`{labels: '%s', value: 0.5}`, `{labels: '{}', value: 0}`},
	} {
		m := metrics.New(metrics.Config{})
		m.Proxy().Step(proxy.StepInfo{Provider: "vllm", Model: "m", Relation: proxy.RelationFork, Status: 200, Taken: true, Completed: true,
			Usage: prefix.ReadUsage([]byte(`{"prompt_tokens":100,"prompt_tokens_details":`+details+`}`), nil)})
		var cases bytes.Buffer
		cases.WriteString("tests:\n  - interval: 1m\n    input_series:\n")
		for lines := bufio.NewScanner(bytes.NewReader(scrape(t, m))); lines.Scan(); {
			if series, ok := strings.CutPrefix(lines.Text(), metrics.PromptTokensTotal+"{"); ok {
				labels, value, _ := strings.Cut(series, "} ")
				fmt.Fprintf(&cases, "      - series: '%s{job=\"p\",instance=\"a\",%s}'\n        values: '0+%sx60'\n", metrics.PromptTokensTotal, labels, value)
			}
		}
		cases.WriteString("    promql_expr_test:\n")
		for _, c := range []struct{ panel, series, sample string }{
			{"Hit rate", "{}", shows.hits}, {"Hit rate by relation", `{relation="fork"}`, shows.hits}, {"Not reported", "{}", shows.silent},
		} {
			fmt.Fprintf(&cases, "      - expr: '%s'\n        eval_time: 1h\n        exp_samples: [%s]\n", panels[c.panel], strings.Replace(c.sample, "%s", c.series, 1))
		}
		file := filepath.Join(t.TempDir(), "cases.yml")
		if err := os.WriteFile(file, cases.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		promtool(t, nil, "test", "rules", file)
	}
}
