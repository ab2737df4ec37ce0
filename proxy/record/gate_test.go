package record_test

import (
	"path/filepath"
	"slices"
	"testing"

	"trunkline/proxy/record"
)

// TestOtherTouches: a proxy that reads and writes agents' records otherwise than the one that was
// recorded, as another version may, is neither held up nor taken to differ where it sends the same.
func TestOtherTouches(t *testing.T) {
	recordings, err := filepath.Glob("testdata/recordings/*.jsonl")
	if err != nil || len(recordings) == 0 {
		t.Fatal("no recordings", err)
	}
	for name, other := range map[string]func(list []record.Touch) []record.Touch{
		"more": func(list []record.Touch) (now []record.Touch) {
			for i, touch := range list {
				if i%3 == 0 { // not recorded: it was done all the same
					continue
				}
				now = append(now, touch)
			}
			return now
		},
		"fewer": func(list []record.Touch) (now []record.Touch) {
			for _, touch := range list {
				if touch.Write {
					now = append(now, record.Touch{At: touch.At, Agent: "none"}, record.Touch{At: touch.At, Agent: "none", Write: true})
				}
				now = append(now, touch)
			}
			return now
		},
		"in another order": func(list []record.Touch) []record.Touch {
			now := slices.Clone(list)
			for i := 1; i < len(now); i += 2 {
				now[i-1].Write, now[i].Write = now[i].Write, now[i-1].Write
				now[i-1].Agent, now[i].Agent = now[i].Agent, now[i-1].Agent
				now[i-1].Version, now[i].Version = 0, 0
			}
			return now
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range recordings {
				s := session(t, file)
				for _, x := range s.Exchanges {
					x.Records = other(x.Records)
				}
				report, err := s.Replay(t.Context(), record.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range report.Differences {
					t.Errorf("%s", d)
				}
			}
		})
	}
}
