package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// registrar makes collectors from a table. It panics on a name that the table does not
// describe with this type: both are constants of this package.
type registrar struct {
	registry *prometheus.Registry
	table    []Metric
	tenants  bool // what is counted by tenant has the label
}

func (r registrar) find(name string, kind Type) Metric {
	i := slices.IndexFunc(r.table, func(m Metric) bool { return m.Name == name && m.Type == kind })
	if i < 0 {
		panic("metrics: the table has no " + string(kind) + " " + name)
	}
	m := r.table[i]
	if r.tenants && m.ByTenant {
		m.Labels = append(slices.Clip(m.Labels), Label{Name: tenantLabel})
	}
	return m
}

func (r registrar) counter(name string) *prometheus.CounterVec {
	m := r.find(name, Counter)
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: m.Help}, m.labels())
	r.registry.MustRegister(v)
	m.each(func(values []string) { v.WithLabelValues(values...) })
	return v
}

func (r registrar) gauge(name string) *prometheus.GaugeVec {
	m := r.find(name, Gauge)
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: m.Help}, m.labels())
	r.registry.MustRegister(v)
	m.each(func(values []string) { v.WithLabelValues(values...) })
	return v
}

func (r registrar) histogram(name string) *prometheus.HistogramVec {
	m := r.find(name, Histogram)
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: m.Help, Buckets: m.buckets}, m.labels())
	r.registry.MustRegister(v)
	m.each(func(values []string) { v.WithLabelValues(values...) })
	return v
}

func (m Metric) labels() []string {
	names := make([]string, len(m.Labels))
	for i, l := range m.Labels {
		names[i] = l.Name
	}
	return names
}

// each calls do with every possible combination of label values, if all sets are closed.
func (m Metric) each(do func(values []string)) {
	combinations := [][]string{nil}
	for _, l := range m.Labels {
		var longer [][]string
		for _, c := range combinations {
			for _, v := range l.Values {
				longer = append(longer, append(slices.Clone(c), v))
			}
		}
		combinations = longer
	}
	for _, c := range combinations {
		if m.possible == nil || m.possible(c) {
			do(c)
		}
	}
}

// fix returns m with the open label closed to one value.
func (m Metric) fix(label, value string) Metric {
	m.Labels = slices.Clone(m.Labels)
	for i := range m.Labels {
		if m.Labels[i].Name == label {
			m.Labels[i].Values = []string{value}
		}
	}
	return m
}
