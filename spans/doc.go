// Package spans exports each provider request as an OpenTelemetry span, with the attribute
// names of the GenAI conventions, over OTLP/HTTP.
//
// It fills the proxy's hooks after the fact, so it adds nothing to a request but the
// queueing of one span. Spans that do not fit the queue are dropped; no body, message or
// credential is in one. A client's traceparent makes its span the parent.
package spans
