package record_test

import (
	"path/filepath"
	"strings"
	"testing"

	"trunkline/proxy/record"
)

// TestRecordingsWithoutOrder: a recording that does not say in which order agents' records were
// touched is replayed by its times, and a difference says that these may not tell.
func TestRecordingsWithoutOrder(t *testing.T) {
	recordings, err := filepath.Glob("testdata/recordings/*.jsonl")
	if err != nil || len(recordings) == 0 {
		t.Fatal("no recordings", err)
	}
	const note = "this may be another order and no change"
	for _, file := range recordings {
		for _, ordered := range []bool{true, false} {
			s := session(t, file)
			if !ordered {
				for _, x := range s.Exchanges {
					x.Records = nil
				}
			}
			report, err := s.Replay(t.Context(), record.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range report.Differences {
				t.Errorf("ordered %t: %s", ordered, d)
			}
			if change(s, `"content":"You are careful.`, `"content":"You are careless`) == "" {
				t.Fatalf("%s holds nothing to change", file)
			}
			if report, err = s.Replay(t.Context(), record.Options{}); err != nil {
				t.Fatal(err)
			}
			identified := !strings.Contains(file, "anonymous")
			if d := report.Differences; len(d) != 1 || strings.Contains(d[0].String(), note) != (identified && !ordered) {
				t.Errorf("%s, ordered %t: %v", file, ordered, d)
			}
		}
	}
}
