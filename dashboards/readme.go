package dashboards

import (
	"bytes"
	"fmt"
)

// readme returns README.md: how to use the files, and what they show.
func readme() []byte {
	var b bytes.Buffer
	b.WriteString(`# Dashboards and rules

Everything here but ` + "`provisioning/`, `compose.yaml` and `rules_test.yml`" + ` is generated from the Go
files beside it and the metrics of package metrics (` + "`go generate ./dashboards`" + `).

All of it at once, with Redis, Prometheus and Grafana, on this machine only (with Compose 1,
` + "`docker-compose`" + `):

    docker compose -p trunkline -f dashboards/compose.yaml up

By hand: import the ` + "`*.json`" + ` files into Grafana (they ask for a Prometheus data source), and
name ` + "`rules.yml`" + ` under ` + "`rule_files`" + ` in Prometheus. ` + "`provisioning/`" + ` has both as files.

What a provider did not report is shown as unreported and enters no ratio. Gauges that
are read from the store are alike in all proxies that share it; give proxies with
different stores different job names. With ` + "`--tenant-label`" + ` the boards of traffic and of reuse
can be narrowed to tenants, at their top.
`)
	for _, board := range Boards() {
		fmt.Fprintf(&b, "\n## %s\n\n%s `%s.json`\n\n| panel | shows |\n|---|---|\n", board.Title, board.Description, board.UID)
		for _, row := range board.Rows {
			for _, p := range row.Panels {
				fmt.Fprintf(&b, "| %s | %s |\n", p.Title, p.Description)
			}
		}
		if len(board.Inputs) > 0 {
			b.WriteString("\nSet at its top:\n\n")
			for _, in := range board.Inputs {
				fmt.Fprintf(&b, "- **%s** (%s): %s\n", in.Label, in.Default, in.Description)
			}
		}
	}
	b.WriteString("\n## Alerts\n\n| alert | fires when | for |\n|---|---|---|\n")
	for _, r := range alerts() {
		fmt.Fprintf(&b, "| %s | %s. | %s |\n", r.Alert, r.Summary, r.For)
	}
	b.WriteString("\nTheir cases are in `rules_test.yml` (`promtool test rules`).\n")
	return b.Bytes()
}
