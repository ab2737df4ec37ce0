package spans

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"trunkline/prefix"
	"trunkline/proxy"
)

// TestStepIsASpan: a provider request arrives at an OTLP endpoint as one span under the
// client's, with what the provider reported and nothing that it did not.
func TestStepIsASpan(t *testing.T) {
	got := make(chan *collector.ExportTraceServiceRequest, 1)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &m); err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		got <- &m
	}))
	defer endpoint.Close()
	s, err := Open(t.Context(), endpoint.URL+"/v1/traces", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.Proxy().Step(proxy.StepInfo{
		Agent: "root", Provider: "sim", Model: "m", Relation: proxy.RelationRoot, Status: 200, Taken: true, Completed: true,
		Took: time.Second, TTFT: 300 * time.Millisecond, Usage: prefix.Usage{Prompt: prefix.Tokens(10)},
		Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	})
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := <-got
	spans := m.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	span := spans[0]
	if took := span.EndTimeUnixNano - span.StartTimeUnixNano; span.Name != "chat m" || took != uint64(time.Second) {
		t.Errorf("%s took %d ns", span.Name, took)
	}
	if string(span.ParentSpanId) != "\xb7\xad\x6b\x71\x69\x20\x33\x31" || len(span.Events) != 1 {
		t.Errorf("parent %x, %d events", span.ParentSpanId, len(span.Events))
	}
	attributes := map[string]string{}
	for _, a := range span.Attributes {
		attributes[a.Key] = a.Value.String()
	}
	if attributes["gen_ai.usage.input_tokens"] == "" || attributes["gen_ai.conversation.id"] == "" {
		t.Errorf("attributes: %v", attributes)
	}
	if _, said := attributes["gen_ai.usage.cache_read.input_tokens"]; said {
		t.Error("what the provider did not report is reported")
	}
}
