package dashboards

import (
	"strings"

	"trunkline/metrics"
)

// variables are the data source, job and instance of every board, the tenant where something
// is counted by it, and its own inputs.
func (b Board) variables() []grafanaVariable {
	from := source()
	list := []grafanaVariable{
		{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus"},
		{Name: "job", Label: "Job", Type: "query", Query: "label_values(" + metrics.RequestsTotal + ", job)"},
		{Name: "instance", Label: "Instance", Type: "query", Query: "label_values(" + metrics.RequestsTotal + `{job=~"$job"}, instance)`},
	}
	if b.byTenant() {
		list = append(list, grafanaVariable{
			Name: "tenant", Label: "Tenant", Type: "query", Query: "label_values(" + metrics.RequestsTotal + `{job=~"$job"}, tenant)`,
			Description: "Only with --tenant-label. What is not counted by tenant shows everybody's.",
		})
	}
	for i := range list {
		if v := &list[i]; v.Type == "query" {
			v.Datasource, v.Definition = &from, v.Query
			v.Refresh, v.Sort = 2, 1
			v.Multi, v.IncludeAll, v.AllValue = true, true, ".+"
			if v.Name == "tenant" {
				v.AllValue = ".*" // also those without the label
			}
			v.Current = &grafanaCurrent{true, "All", "$__all"}
		}
	}
	for _, in := range b.Inputs {
		list = append(list, grafanaVariable{
			Name: in.Name, Label: in.Label, Description: in.Description, Type: "textbox", Query: in.Default,
			Current: &grafanaCurrent{true, in.Default, in.Default},
		})
	}
	return list
}

// byTenant: a panel shows something that can be told by tenant.
func (b Board) byTenant() bool {
	for _, row := range b.Rows {
		for _, p := range row.Panels {
			for _, q := range p.Queries {
				if strings.Contains(q.Expr, ofTenant) {
					return true
				}
			}
		}
	}
	return false
}
