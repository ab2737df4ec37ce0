package record_test

import (
	"strings"
	"testing"
	"time"

	"trunkline/proxy/record"
)

// TestRequestsThatMet: where two agents' requests were in the proxy at once, a difference says
// that their order is not recorded; where they were not, it does not.
func TestRequestsThatMet(t *testing.T) {
	for _, meet := range []bool{true, false} {
		s := session(t, "testdata/recordings/fork.jsonl")
		kid, twin := s.Exchanges[3], s.Exchanges[4]
		if meet {
			twin.Start = kid.Start.Add(time.Microsecond)
		}
		hop := &twin.Upstream[0]
		hop.Request.Body = record.Text{[]byte(strings.Replace(string(hop.Request.Body.Bytes()), "look around", "look about!", 1))}
		report, err := s.Replay(t.Context(), record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Differences) != 1 {
			t.Fatalf("meet %t: differences %v", meet, report.Differences)
		}
		d := report.Differences[0]
		if want := map[bool]string{true: kid.Place, false: ""}[meet]; d.Met != want {
			t.Errorf("meet %t: it met %q, want %q", meet, d.Met, want)
		}
		if told := strings.Contains(d.String(), "this may be another order and no change"); told != meet {
			t.Errorf("meet %t: %s", meet, d)
		}
	}
}
