package dashboards

import (
	"bytes"
	"encoding/json"
)

// The types below are Grafana's dashboard model, as far as these boards use it.
type (
	grafanaBoard struct {
		UID           string         `json:"uid"`
		Title         string         `json:"title"`
		Description   string         `json:"description"`
		Tags          []string       `json:"tags"`
		SchemaVersion int            `json:"schemaVersion"`
		Version       int            `json:"version"`
		Editable      bool           `json:"editable"`
		GraphTooltip  int            `json:"graphTooltip"` // 1: one cross hair for all panels
		Refresh       string         `json:"refresh"`
		Time          grafanaTime    `json:"time"`
		Timezone      string         `json:"timezone"`
		Links         []grafanaLink  `json:"links"`
		Templating    grafanaList    `json:"templating"`
		Panels        []grafanaPanel `json:"panels"`
	}
	grafanaTime struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	grafanaLink struct {
		Title       string   `json:"title"`
		Type        string   `json:"type"`
		Tags        []string `json:"tags"`
		AsDropdown  bool     `json:"asDropdown"`
		IncludeVars bool     `json:"includeVars"`
		KeepTime    bool     `json:"keepTime"`
	}
	grafanaList struct {
		List []grafanaVariable `json:"list"`
	}
	grafanaVariable struct {
		Name        string          `json:"name"`
		Label       string          `json:"label"`
		Description string          `json:"description,omitempty"`
		Type        string          `json:"type"`
		Query       string          `json:"query"`
		Datasource  *grafanaSource  `json:"datasource,omitempty"`
		Definition  string          `json:"definition,omitempty"`
		Refresh     int             `json:"refresh,omitempty"` // 2: when the time range changes
		Sort        int             `json:"sort,omitempty"`    // 1: by alphabet
		Multi       bool            `json:"multi"`
		IncludeAll  bool            `json:"includeAll"`
		AllValue    string          `json:"allValue,omitempty"`
		Hide        int             `json:"hide"`
		Current     *grafanaCurrent `json:"current,omitempty"`
	}
	grafanaCurrent struct {
		Selected bool   `json:"selected"`
		Text     string `json:"text"`
		Value    string `json:"value"`
	}
	grafanaSource struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	grafanaPanel struct {
		ID          int             `json:"id"`
		Type        string          `json:"type"`
		Title       string          `json:"title"`
		Description string          `json:"description,omitempty"`
		Datasource  *grafanaSource  `json:"datasource,omitempty"`
		GridPos     grafanaPos      `json:"gridPos"`
		FieldConfig *grafanaFields  `json:"fieldConfig,omitempty"`
		Options     any             `json:"options,omitempty"`
		Targets     []grafanaTarget `json:"targets,omitempty"`
		Collapsed   *bool           `json:"collapsed,omitempty"` // of a row
		Panels      *[]grafanaPanel `json:"panels,omitempty"`    // of a row: none, they follow it
	}
	grafanaPos struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}
	grafanaFields struct {
		Defaults  grafanaDefaults `json:"defaults"`
		Overrides []any           `json:"overrides"`
	}
	grafanaDefaults struct {
		Unit   string         `json:"unit"`
		Min    *float64       `json:"min,omitempty"`
		Max    *float64       `json:"max,omitempty"`
		Custom *grafanaCustom `json:"custom,omitempty"`
	}
	grafanaCustom struct {
		LineWidth   int             `json:"lineWidth"`
		FillOpacity int             `json:"fillOpacity"`
		ShowPoints  string          `json:"showPoints"`
		Stacking    grafanaStacking `json:"stacking"`
	}
	grafanaStacking struct {
		Mode  string `json:"mode"`
		Group string `json:"group"`
	}
	grafanaTarget struct {
		RefID        string        `json:"refId"`
		Datasource   grafanaSource `json:"datasource"`
		Expr         string        `json:"expr"`
		LegendFormat string        `json:"legendFormat"`
		Instant      bool          `json:"instant"`
		Range        bool          `json:"range"`
	}
)

// source is whatever the reader chose.
func source() grafanaSource { return grafanaSource{Type: "prometheus", UID: "${datasource}"} }

// JSON returns the dashboard as Grafana reads it.
func (b Board) JSON() []byte {
	g := grafanaBoard{
		UID: b.UID, Title: b.Title, Description: b.Description, Tags: []string{"trunkline"},
		SchemaVersion: 39, Version: 1, GraphTooltip: 1, Refresh: "30s", Timezone: "browser",
		Time:       grafanaTime{"now-1h", "now"},
		Links:      []grafanaLink{{Title: "trunkline", Type: "dashboards", Tags: []string{"trunkline"}, IncludeVars: true, KeepTime: true}},
		Templating: grafanaList{b.variables()},
		Panels:     b.panels(),
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(g); err != nil {
		panic(err) // strings and numbers always marshal
	}
	return out.Bytes()
}
