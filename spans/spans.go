package spans

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"trunkline/prefix"
	"trunkline/proxy"
)

// Spans is an exporter of spans.
type Spans struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// tracesPath is where, below its base URL, an OTLP/HTTP endpoint takes spans.
const tracesPath = "/v1/traces"

// Open exports to the OTLP/HTTP endpoint at base, such as http://127.0.0.1:4318, with or
// without the path /v1/traces. It does not wait for the endpoint: one that is away, or
// refuses, costs spans and a line in the log, nothing else.
func Open(ctx context.Context, base string, log *slog.Logger) (*Spans, error) {
	at, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	if !strings.HasSuffix(at.Path, tracesPath) {
		at = at.JoinPath(tracesPath)
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(at.String()), otlptracehttp.WithTimeout(5*time.Second))
	if err != nil {
		return nil, fmt.Errorf("otlp %s: %w", at.Redacted(), err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&lossy{SpanExporter: exporter, log: log}),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "trunkline"))),
	)
	return &Spans{provider, provider.Tracer("trunkline")}, nil
}

// Close sends what is queued, at most until ctx ends.
func (s *Spans) Close(ctx context.Context) error { return s.provider.Shutdown(ctx) }

// Proxy returns the hooks of a proxy.
func (s *Spans) Proxy() proxy.Trace { return proxy.Trace{Step: s.step} }

// step makes the span of a provider request that has ended.
func (s *Spans) step(i proxy.StepInfo) {
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": i.Traceparent})
	end := time.Now()
	_, span := s.tracer.Start(ctx, "chat "+i.Model,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(end.Add(-i.Took)), trace.WithAttributes(attributes(i)...))
	if i.TTFT > 0 {
		span.AddEvent("gen_ai.first_token", trace.WithTimestamp(end.Add(i.TTFT-i.Took)))
	}
	if !i.Completed {
		span.SetStatus(codes.Error, "the answer was not completed")
	}
	span.End(trace.WithTimestamp(end))
}

// attributes are those of the GenAI conventions, then the proxy's own.
func attributes(i proxy.StepInfo) []attribute.KeyValue {
	a := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.provider.name", i.Provider),
		attribute.String("gen_ai.request.model", i.Model),
		attribute.String("trunkline.relation", string(i.Relation)),
		attribute.Int64("trunkline.prompt.bytes", i.Bytes),
		attribute.Int64("trunkline.prefix.shared_bytes", i.Shared),
		attribute.String("trunkline.prefix.break", i.Break.Cause.String()),
	}
	if i.Status != 0 {
		a = append(a, attribute.Int("http.response.status_code", i.Status))
	}
	if i.Agent != "" {
		a = append(a, attribute.String("gen_ai.conversation.id", i.Agent))
	}
	if i.Fork != "" {
		a = append(a, attribute.String("trunkline.fork.head", string(i.Fork)))
	}
	// What the provider did not say is left out, not 0.
	for _, n := range []struct {
		key   string
		count prefix.Count
	}{
		{"gen_ai.usage.input_tokens", i.Usage.Prompt},
		{"gen_ai.usage.output_tokens", i.Usage.Completion},
		{"gen_ai.usage.cache_read.input_tokens", i.Usage.Cached},
		{"gen_ai.usage.cache_creation.input_tokens", i.Usage.Write},
	} {
		if n.count.Known {
			a = append(a, attribute.Int64(n.key, n.count.N))
		}
	}
	if i.Completed {
		a = append(a, attribute.Int64("trunkline.prefix.expected_tokens", i.Reuse.Expected),
			attribute.Int64("trunkline.prefix.shortfall_tokens", i.Reuse.Shortfall()))
	}
	return a
}
