package metrics

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestTableIsWhatIsServed: a metric that the table does not describe, or that nothing
// serves, is an error.
func TestTableIsWhatIsServed(t *testing.T) {
	m := New(Config{})
	m.everybody.open("p", "m") // tokens have no series before traffic
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var served, described []string
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "trunkline_") {
			served = append(served, f.GetName())
			if i := slices.IndexFunc(Table(), func(m Metric) bool { return m.Name == f.GetName() }); i < 0 || Table()[i].Help != f.GetHelp() || !strings.EqualFold(string(Table()[i].Type), f.GetType().String()) {
				t.Errorf("%s is not served as the table describes it", f.GetName())
			}
		}
	}
	for _, m := range Table() {
		described = append(described, m.Name)
	}
	slices.Sort(described)
	if !slices.Equal(served, described) {
		t.Errorf("served:\n%q\nin the table:\n%q", served, described)
	}
}

func TestNamesAreClean(t *testing.T) {
	problems, err := testutil.GatherAndLint(New(Config{}).registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, m := range Table() {
		total := strings.HasSuffix(m.Name, "_total")
		if total != (m.Type == Counter) {
			t.Errorf("%s: the suffix _total and the type %s do not belong together", m.Name, m.Type)
		}
		name := strings.TrimSuffix(m.Name, "_total")
		if (m.Unit == "seconds" || m.Unit == "tokens") && !strings.HasSuffix(name, "_"+m.Unit) {
			t.Errorf("%s does not end in its unit, %s", m.Name, m.Unit)
		}
		if (m.Type == Histogram) != (m.buckets != nil) || m.Unit == "" || m.Help == "" {
			t.Errorf("%s is not described in full", m.Name)
		}
	}
}

// TestNoLabelNamesAPerson: what a client can make up without end is no label.
func TestNoLabelNamesAPerson(t *testing.T) {
	for _, m := range Table() {
		for _, l := range m.Labels {
			if l.Values == nil && l.Name != "model" && l.Name != "provider" {
				t.Errorf("%s: the label %s has no closed set of values", m.Name, l.Name)
			}
		}
	}
}

// TestClosedSetsStartAtZero: a rate needs a first value before the first event.
func TestClosedSetsStartAtZero(t *testing.T) {
	m := New(Config{})
	for name, n := range map[string]int{
		RequestsTotal:          4 * 7, // of no model; other models come with their first answer
		PrefixBreaksTotal:      (6 + 4*2) * 6,
		PrefixRepairsTotal:     8,
		ForkHeadsTotal:         3,
		Agents:                 3,
		Leases:                 2,
		InboxEntries:           1,
		MessagesTotal:          3*2 + 7,
		MessageDeliverySeconds: 1,
		SettlementsTotal:       5,
		StoreOpSeconds:         9,
		RecordDroppedTotal:     3,
		CompletionTokensTotal:  1,
	} {
		all := m.all(t, name)
		if len(all) != n {
			t.Errorf("%s starts with %d series, want %d", name, len(all), n)
		}
		for labels, v := range all {
			if v != 0 {
				t.Errorf("%s{%s} starts at %v", name, labels, v)
			}
		}
	}
}
