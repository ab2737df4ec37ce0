package dashboards

const (
	gridWidth    = 24
	numberHeight = 4
	curveHeight  = 8
)

// panels places the rows below each other. In a row the numbers come first and share its
// width; the curves follow, two side by side, or three where that fills the row.
func (b Board) panels() []grafanaPanel {
	var list []grafanaPanel
	id, y := 0, 0
	place := func(panels []Panel, columns, height int) {
		for i, p := range panels {
			id++
			width := gridWidth / columns
			g := p.grafana()
			g.ID, g.GridPos = id, grafanaPos{H: height, W: width, X: i % columns * width, Y: y + i/columns*height}
			list = append(list, g)
		}
		y += (len(panels) + columns - 1) / columns * height
	}
	for _, row := range b.Rows {
		id++
		open, inside := false, []grafanaPanel{}
		list = append(list, grafanaPanel{
			ID: id, Type: "row", Title: row.Title, Collapsed: &open, Panels: &inside,
			GridPos: grafanaPos{H: 1, W: gridWidth, Y: y},
		})
		y++
		var numbers, curves []Panel
		for _, p := range row.Panels {
			if p.Number {
				numbers = append(numbers, p)
			} else {
				curves = append(curves, p)
			}
		}
		if len(numbers) > 0 {
			place(numbers, len(numbers), numberHeight)
		}
		columns := 2
		if len(curves)%3 == 0 {
			columns = 3
		}
		if len(curves) > 0 {
			place(curves, columns, curveHeight)
		}
	}
	return list
}

func (p Panel) grafana() grafanaPanel {
	from := source()
	zero, one := 0.0, 1.0
	g := grafanaPanel{
		Type: "timeseries", Title: p.Title, Description: p.Description, Datasource: &from,
		FieldConfig: &grafanaFields{Defaults: grafanaDefaults{Unit: p.Unit}, Overrides: []any{}},
	}
	if p.Share {
		g.FieldConfig.Defaults.Min, g.FieldConfig.Defaults.Max = &zero, &one
	}
	if p.Number {
		g.Type = "stat"
		g.Options = map[string]any{
			"colorMode": "value", "graphMode": "none",
			"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		}
	} else {
		custom := grafanaCustom{LineWidth: 1, FillOpacity: 10, ShowPoints: "never", Stacking: grafanaStacking{"none", "A"}}
		if p.Stacked {
			custom.FillOpacity, custom.Stacking.Mode = 60, "normal"
		}
		g.FieldConfig.Defaults.Custom = &custom
		g.Options = map[string]any{
			"legend":  map[string]any{"displayMode": "list", "placement": "bottom", "showLegend": true},
			"tooltip": map[string]any{"mode": "multi", "sort": "desc"},
		}
	}
	for i, q := range p.Queries {
		g.Targets = append(g.Targets, grafanaTarget{
			RefID: string(rune('A' + i)), Datasource: from, Expr: q.Expr, LegendFormat: q.Legend,
			Instant: p.Number, Range: !p.Number,
		})
	}
	return g
}
