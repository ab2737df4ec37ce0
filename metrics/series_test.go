package metrics

import (
	"maps"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// series returns the values of a counter or gauge that are not 0: label values, in the
// order of their names and joined by blanks, → value.
func (m *Metrics) series(t testing.TB, name string) map[string]float64 {
	t.Helper()
	all := m.all(t, name)
	maps.DeleteFunc(all, func(_ string, v float64) bool { return v == 0 })
	return all
}

func (m *Metrics) all(t testing.TB, name string) map[string]float64 {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, s := range f.GetMetric() {
			pairs := s.GetLabel()
			sort.Slice(pairs, func(i, j int) bool { return pairs[i].GetName() < pairs[j].GetName() })
			values := make([]string, len(pairs))
			for i, p := range pairs {
				values[i] = p.GetValue()
			}
			value := s.GetCounter().GetValue() + s.GetGauge().GetValue() + float64(s.GetHistogram().GetSampleCount())
			out[strings.Join(values, " ")] = value
		}
	}
	return out
}

func want(t testing.TB, m *Metrics, name string, want map[string]float64) {
	t.Helper()
	if diff := cmp.Diff(want, m.series(t, name)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
