package dashboards

// Board is a dashboard as this package describes it; grafana.go turns it into Grafana's.
type Board struct {
	UID         string // also the name of its file, without .json
	Title       string
	Description string
	Inputs      []Input
	Rows        []Row
}

// Input is a number that the reader of a dashboard sets.
type Input struct {
	Name, Label, Default, Description string
}

// Row is a heading with panels below it.
type Row struct {
	Title  string
	Panels []Panel
}

// Panel shows queries over time, or as one number.
type Panel struct {
	Title       string
	Description string
	Unit        string // as Grafana names it
	Number      bool   // one number in place of a curve
	Stacked     bool   // the series are disjoint parts of a whole
	Share       bool   // a share: the axis goes from 0 to 1
	Queries     []Query
}

// Boards returns all dashboards.
func Boards() []Board { return []Board{overview(), reuse(), agentsBoard()} }
