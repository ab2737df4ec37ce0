package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// tenantLabel is the label that Config.TenantLabel adds.
const tenantLabel = "tenant"

// tenants has the counters of each tenant that shows by name.
type tenants struct {
	names   bounded
	mu      sync.RWMutex
	traffic map[string]*traffic // label value → counters with that value
}

// served returns the counters for a request that the provider has answered, which gives its
// tenant a place.
func (m *Metrics) served(tenant string) *traffic {
	if m.tenants == nil {
		return &m.everybody
	}
	label, _ := m.tenants.names.claim(tenant)
	return m.of(label)
}

// asked returns the counters for a request that may not have come to a provider.
func (m *Metrics) asked(tenant string) *traffic {
	if m.tenants == nil {
		return &m.everybody
	}
	return m.of(m.tenants.names.label(tenant))
}

// of returns the counters with a label value. They begin with all series that hang on no
// model, so that a tenant's first event after its first answer shows as a rate.
func (m *Metrics) of(label string) *traffic {
	m.tenants.mu.RLock()
	t := m.tenants.traffic[label]
	m.tenants.mu.RUnlock()
	if t != nil {
		return t
	}
	m.tenants.mu.Lock()
	defer m.tenants.mu.Unlock()
	if t = m.tenants.traffic[label]; t != nil {
		return t
	}
	t = m.everybody.curry(label)
	t.open("", none)
	m.tenants.traffic[label] = t
	return t
}

// curry returns t's counters with the tenant's label value given.
func (t *traffic) curry(label string) *traffic {
	one := &traffic{counters: t.counters}
	one.each(func(_ string, counter **prometheus.CounterVec) {
		*counter = (*counter).MustCurryWith(prometheus.Labels{tenantLabel: label})
	})
	return one
}
