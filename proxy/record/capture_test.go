package record_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy/record"
)

// TestCapturesAreJudged: what other programs recorded of real clients goes through, byte for
// byte, with an account of each request.
func TestCapturesAreJudged(t *testing.T) {
	captures, err := filepath.Glob("../../e2e/recordings/*.jsonl.gz")
	if err != nil || len(captures) < 37 {
		t.Fatalf("%d captures, %v", len(captures), err)
	}
	for _, capture := range captures {
		t.Run(strings.TrimSuffix(filepath.Base(capture), ".jsonl.gz"), func(t *testing.T) {
			s := session(t, unpack(t, capture))
			if !s.Captured {
				t.Fatal("it is taken for a recording")
			}
			report, err := s.Replay(t.Context(), record.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range report.Differences {
				t.Errorf("%s", d)
			}
			if len(report.Requests) != len(s.Exchanges) {
				t.Errorf("%d requests are accounted for of %d", len(report.Requests), len(s.Exchanges))
			}
			if first := report.Requests[0]; first.Shared != 0 || first.Cause != string(prefix.CauseColdStart) || first.Bytes == 0 {
				t.Errorf("the first request: %+v", first)
			}
			// An agent's loop goes on from its own requests, except where the provider keeps
			// the history (previous_response_id).
			kept := strings.HasSuffix(t.Name(), "-prev")
			if total := report.Agents[0]; !kept && len(s.Exchanges) > 2 && total.Shared < total.Bytes/3 {
				t.Errorf("%d of %d bytes are shared", total.Shared, total.Bytes)
			}
			if s.Save() == nil {
				t.Error("a capture of another program was written to")
			}
		})
	}
}

func unpack(t *testing.T, file string) string {
	t.Helper()
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(file), ".gz"))
	plain, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := io.Copy(plain, z); err != nil {
		t.Fatal(err)
	}
	return to
}
