package record_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trunkline/proxy/record"
)

// TestScrubbedRecordingsReplay: what was scrubbed shows no word of the prose, has every
// relation that it had (which Scrub proves), and still replays to the same bytes.
func TestScrubbedRecordingsReplay(t *testing.T) {
	recordings, err := filepath.Glob("testdata/recordings/*.jsonl")
	if err != nil || len(recordings) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range recordings {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			s := session(t, file)
			words := prose(s)
			if err := s.Scrub(); err != nil {
				t.Fatal(err)
			}
			for _, x := range s.Exchanges {
				for word := range words {
					if strings.Contains(string(x.Client.Body.Bytes()), word) {
						t.Fatalf("%s: %q is still there", x.Place, word)
					}
				}
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

var content = regexp.MustCompile(`"content":"([^"\\]{12,})`)

// prose collects what a reader must not find again.
func prose(s *record.Session) map[string]bool {
	found := map[string]bool{}
	for _, x := range s.Exchanges {
		for _, m := range content.FindAllSubmatch(x.Client.Body.Bytes(), -1) {
			if text := string(m[1][:12]); !strings.HasPrefix(text, "Agent ") && !strings.HasPrefix(text, "message deli") {
				found[text] = true
			}
		}
	}
	return found
}

// TestScrubKeepsForms: the same character has the same filler whether it is escaped or not,
// and whatever the pieces in which a stream brings it.
func TestScrubKeepsForms(t *testing.T) {
	s := &record.Session{}
	add := func(body string, chunks ...string) *record.Exchange {
		x := &record.Exchange{Client: record.Request{Body: record.Text{[]byte(body)}}}
		x.Response.Headers = []record.Header{{"Content-Type", "text/event-stream"}}
		for _, c := range chunks {
			x.Response.Chunks = append(x.Response.Chunks, record.Chunk{Data: []byte(c)})
		}
		s.Exchanges = append(s.Exchanges, x)
		return x
	}
	piece := func(text string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n"
	}
	raw := add(`{"content":"caf\u00e9 日本 😀 ok","n":12}`, piece("ca"), piece(`f\u00e9 日`), piece(`\u672c \ud83d\ude00 o`), piece("k")+"data: [DONE]\n\n")
	other := add(`{"content":"café \u65e5\u672c \ud83d\ude00 ok","n":12}`)
	third := add(`{"content":"cafz"}`)
	if err := s.Scrub(); err != nil {
		t.Fatal(err)
	}
	var streamed strings.Builder
	for _, m := range regexp.MustCompile(`"content":"([^"]*)"`).FindAllSubmatch(raw.Response.Body(), -1) {
		streamed.Write(m[1])
	}
	want := decoded(t, string(raw.Client.Body.Bytes()))
	if got := decoded(t, string(other.Client.Body.Bytes())); got != want {
		t.Errorf("%q and %q are one text in two forms", got, want)
	}
	if got := decoded(t, `{"content":"`+streamed.String()+`"}`); got != want {
		t.Errorf("streamed %q, whole %q", got, want)
	}
	if got := decoded(t, string(third.Client.Body.Bytes())); got[:3] != want[:3] || strings.Contains(want, "caf") {
		t.Errorf("%q and %q have the same beginning in the original", got, want)
	}
	if body := string(raw.Response.Body()); !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("the stream ends in %q", body)
	}
}

func FuzzScrub(f *testing.F) {
	f.Add(`{"a":"x","arguments":"{\"agent_id\":\"kid\",\"m\":\"t\\u00e9\"}"}`, `{"a":"xy"}`)
	f.Add("\xff", `["\ud800","`+"\xff"+`"]`)
	f.Fuzz(func(t *testing.T, a, b string) {
		s := &record.Session{Exchanges: []*record.Exchange{
			{Client: record.Request{Body: record.Text{[]byte(a)}}}, {Client: record.Request{Body: record.Text{[]byte(b)}}},
		}}
		_ = s.Scrub() // two bodies of strange forms may be refused; nothing may panic
		for i, was := range []string{a, b} {
			if now := s.Exchanges[i].Client.Body; now.Len() != len(was) {
				t.Errorf("%q became %q", was, now.Bytes())
			}
		}
	})
}

func decoded(t *testing.T, body string) string {
	t.Helper()
	var v struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v.Content
}
