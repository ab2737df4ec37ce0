package dashboards

import "trunkline/metrics"

// variables are the data source, job and instance of every board, and its own inputs.
func (b Board) variables() []grafanaVariable {
	from := source()
	list := []grafanaVariable{
		{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus"},
		{Name: "job", Label: "Job", Type: "query", Query: "label_values(" + metrics.RequestsTotal + ", job)"},
		{Name: "instance", Label: "Instance", Type: "query", Query: "label_values(" + metrics.RequestsTotal + `{job=~"$job"}, instance)`},
	}
	for i := range list {
		if v := &list[i]; v.Type == "query" {
			v.Datasource, v.Definition = &from, v.Query
			v.Refresh, v.Sort = 2, 1
			v.Multi, v.IncludeAll, v.AllValue = true, true, ".+"
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
