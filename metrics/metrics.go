package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics holds the collectors of one process.
type Metrics struct {
	registry *prometheus.Registry
	models   bounded

	everybody traffic
	tenants   *tenants // nil: not counted by tenant

	ttft, overhead, steps, delivery prometheus.Observer
	messages, settlements           *prometheus.CounterVec
	agents, leases                  *prometheus.GaugeVec
	inbox                           prometheus.Gauge
	store                           *prometheus.HistogramVec
	dropped                         *prometheus.CounterVec
}

// Config is what a Metrics counts by.
type Config struct {
	// TenantLabel adds the label tenant to the metrics that the table has ByTenant: the name
	// of a key's tenant, the hash of a client's credential, or "local". It multiplies their
	// series by the tenants, and tells the tenants to whoever reads the metrics.
	TenantLabel bool
}

// New returns Metrics with a registry of their own, which also describes the Go runtime,
// the process and the build.
func New(c Config) *Metrics {
	r := registrar{prometheus.NewRegistry(), Table(), c.TenantLabel}
	r.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
	)
	m := &Metrics{
		registry: r.registry,

		ttft:     r.histogram(UpstreamTTFTSeconds).WithLabelValues(),
		overhead: r.histogram(ProxyOverheadSeconds).WithLabelValues(),
		steps:    r.histogram(StepsPerResponse).WithLabelValues(),
		store:    r.histogram(StoreOpSeconds),

		messages:    r.counter(MessagesTotal),
		delivery:    r.histogram(MessageDeliverySeconds).WithLabelValues(),
		settlements: r.counter(SettlementsTotal),
		agents:      r.gauge(Agents),
		leases:      r.gauge(Leases),
		inbox:       r.gauge(InboxEntries).WithLabelValues(),

		dropped: r.counter(RecordDroppedTotal),
	}
	m.everybody.each(func(name string, counter **prometheus.CounterVec) { *counter = r.counter(name) })
	if c.TenantLabel {
		m.tenants = &tenants{traffic: map[string]*traffic{}}
	} else {
		m.everybody.open("", none)
	}
	return m
}

// Handler serves the metrics, in the OpenMetrics format to those who ask for it.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}
