// Package dashboards generates the Grafana dashboards and the Prometheus rules that belong
// to package metrics. The generated files are committed beside it, for people who use them
// without Go; provisioning/ and compose.yaml show them with everything around.
//
// Invariants:
//
//  1. The files are functions of the constants of package metrics: a metric that is
//     renamed or dropped does not compile here, a new one fails a test until it is
//     plotted. A test fails when a committed file differs from what is generated.
//  2. Every panel has a title, a description, a unit and a query. Every selector is bound
//     to the dashboard's job and instance variables, every data source to its data source
//     variable, and rates are taken over $__rate_interval: the rules of
//     grafana/dashboard-linter, held by tests.
//  3. What a provider did not report is shown as unreported, and enters no ratio.
//  4. Gauges that are read from the store are alike in all proxies that share it: their
//     maximum is taken within a job, and the sum over jobs. The proxies of one job are
//     taken to share one store.
package dashboards

//go:generate go test -run ^TestGenerated$ -update .
