package record_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trunkline/proxy/record"
)

// TestSizedAnswersInParts: a client that knows how long its answer is gets it with the last
// part, so a replay waits for no part of it, whether the rest came or the answer was cut.
func TestSizedAnswersInParts(t *testing.T) {
	const first, second = `{"id":"x","choices":[{"index":0,"message":{"role":"assistant",`, `"content":"hi"},"finish_reason":"stop"}]}`
	for name, end := range map[string]string{"whole": record.EndWhole, "cut": "unexpected EOF"} {
		t.Run(name, func(t *testing.T) {
			headers := []record.Header{{"Content-Length", "103"}, {"Content-Type", "application/json"}}
			answer := record.Response{At: 2, Status: 200, Headers: headers, End: end, EndAt: 9, Chunks: []record.Chunk{{At: 3, Data: []byte(first)}}}
			got := answer
			got.Chunks = []record.Chunk{{At: 4, Data: []byte(first)}}
			outcome := "incomplete"
			if end == record.EndWhole {
				answer.Chunks = append(answer.Chunks, record.Chunk{At: 5, Data: []byte(second)})
				got.Chunks = append(got.Chunks, record.Chunk{At: 6, Data: []byte(second)})
				outcome = "ok"
			}
			s := &record.Session{Name: "sized", Exchanges: []*record.Exchange{{
				ID: "a-1", Start: time.Unix(0, 0), Place: "sized:1",
				Settings: record.Settings{Base: "/v1", AskUsage: "none", Tools: []string{}},
				Client:   record.Request{Method: "POST", Path: "/v1/chat/completions", Body: record.Text{[]byte(hello)}},
				Upstream: []record.Hop{{At: 1, Request: record.Request{Method: "POST", Path: "/chat/completions", Body: record.Text{[]byte(hello)}}, Response: &answer}},
				Response: got,
				Usage:    record.Usage{Outcome: outcome, Took: 10},
			}}}
			if n := len(first) + len(second); n != 103 {
				t.Fatalf("the answer has %d bytes", n)
			}
			report, err := s.Replay(t.Context(), record.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range report.Differences {
				t.Errorf("%s", d)
			}
		})
	}
}

// TestABrokenAnswerIsNotWhole: what the proxy broke off, since the provider did, is recorded so.
func TestABrokenAnswerIsNotWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	r := startRecorder(t, record.Config{Dir: dir})
	url := startProxy(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {}\n\n")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}), r)
	resp, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Error("the client took it for whole")
	}
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	sessions, err := record.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if end := sessions[0].Exchanges[0].Response.End; end == record.EndWhole {
		t.Errorf("it ended %q", end)
	}
}
