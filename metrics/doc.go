// Package metrics counts what the proxy does, for Prometheus. It fills the hooks
// that the other packages declare; none of them knows of it.
//
// Invariants:
//
//  1. Table is the one place that names a metric, its labels, its unit and its
//     meaning. The collectors, README.md, the dashboards and the rules are made
//     from it.
//  2. Every label has a bounded number of values. Closed sets are there with the
//     value 0 from the start, so that the first event already shows as a rate; a
//     model shows up with all its series at its first answer. No label names an
//     agent, a tenant, a key or anything else that a client can make up, except
//     for the first hundred models that the provider has answered for and, where
//     that is switched on, the first hundred tenants that it has answered.
//  3. Parts of a whole are disjoint: the four values of the label cache add up to
//     the prompt. What a provider did not report is a part of its own and never
//     a zero of another one.
//  4. A hook takes nanoseconds, waits for nobody and does no I/O. What only the
//     store knows is read in the background, never by a request and never by a
//     scrape.
//
// A Metrics is safe for concurrent use.
package metrics

//go:generate go test -run ^TestReadme$ -update .
