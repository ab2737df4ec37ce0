package spans

import (
	"context"
	"log/slog"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// lossy says in the log when an endpoint begins to refuse spans and when it takes them
// again, and answers for what is lost. The SDK would tell a logger of its own, which is one
// for the whole process, and would tell it of every batch.
type lossy struct {
	sdktrace.SpanExporter
	log  *slog.Logger
	lost int // since the last batch that was taken
}

// ExportSpans returns no error: what cannot be sent is dropped. The SDK never calls it twice
// at once.
func (e *lossy) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && e.lost == 0:
		e.log.Warn("spans are not exported", "err", err)
	case err == nil && e.lost > 0:
		e.log.Info("spans are exported again", "lost", e.lost)
	}
	if err != nil {
		e.lost += len(spans)
	} else {
		e.lost = 0
	}
	return nil
}

// Shutdown follows the last batch.
func (e *lossy) Shutdown(ctx context.Context) error {
	if e.lost > 0 {
		e.log.Warn("spans were not exported", "lost", e.lost)
	}
	return e.SpanExporter.Shutdown(ctx)
}
