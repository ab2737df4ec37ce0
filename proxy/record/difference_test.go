package record_test

import (
	"bytes"
	"strings"
	"testing"

	"trunkline/proxy/record"
)

// TestADifferenceIsTold changes what was recorded by as little as can be, one byte or the
// place of one thing, and replays: exactly that is told, in words.
func TestADifferenceIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		file     string
		was, now string
		says     []string
	}{
		"tool order": {"fork",
			`"name":"send_message"`, `"name":"sent_message"`,
			[]string{"segment   tools", "JSON path tools[1].function.name (send_message)", "recorded  …", "now       …"}},
		"guidance text": {"fork",
			"Before you finish, send it", "Before you finish; send it",
			[]string{"segment   history", "].content", "you finish; send", "you finish, send"}},
		"message framing": {"settle",
			`Agent kid sent a message:\n`, `Agent kid sent a message;\n`,
			[]string{"segment   history", "].content", "message;", "message:"}},
		"insertion place": {"steer",
			`,{"role":"user","content":"Agent root sent a message:\nbe quick"}]`, `]`,
			[]string{"segment   history", "JSON path messages[6]", "now       …", `{"role":"user"`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := session(t, "testdata/recordings/"+c.file+".jsonl")
			place := change(s, c.was, c.now)
			if place == "" {
				t.Fatalf("no recorded request holds %q", c.was)
			}
			report, err := s.Replay(t.Context(), record.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Differences) != 1 {
				t.Fatalf("%d differences, want the one that was made: %v", len(report.Differences), report.Differences)
			}
			var out strings.Builder
			if err := report.Print(&out); err != nil {
				t.Fatal(err)
			}
			for _, want := range append(c.says, "1 differences, the first:\n"+place+" (exchange ", "to the provider: its body has other bytes than the recorded one") {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the report does not say %q", want)
				}
			}
			if t.Failed() {
				t.Log(out.String())
			}

			if err := report.Update(); err != nil {
				t.Fatal(err)
			}
			again, err := s.Replay(t.Context(), record.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(again.Differences) != 0 {
				t.Errorf("after the update there is still %v", again.Differences)
			}
		})
	}
}

// TestMissingAndExtraRequests: what was not recorded cannot be answered, and what does not
// come is told.
func TestMissingAndExtraRequests(t *testing.T) {
	s := session(t, "testdata/recordings/mixed.jsonl")
	last := s.Exchanges[len(s.Exchanges)-1]
	last.Upstream = last.Upstream[:1] // its second request is not recorded
	report, err := s.Replay(t.Context(), record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Differences) != 1 || report.Differences[0].Kind != record.DiffExtra {
		t.Errorf("differences %v, want one request too many", report.Differences)
	}
	if report.Update() == nil {
		t.Error("an answer that nobody recorded was made up")
	}

	s = session(t, "testdata/recordings/mixed.jsonl")
	last = s.Exchanges[len(s.Exchanges)-1]
	again := last.Upstream[1]
	again.At, again.Response = again.Response.EndAt, nil
	last.Upstream = append(last.Upstream, again)
	if report, err = s.Replay(t.Context(), record.Options{}); err != nil {
		t.Fatal(err)
	}
	if len(report.Differences) != 1 || report.Differences[0].Kind != record.DiffMissing {
		t.Errorf("differences %v, want one request too few", report.Differences)
	}
}

func session(t *testing.T, file string) *record.Session {
	t.Helper()
	sessions, err := record.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return sessions[0]
}

// change replaces a text in the first recorded provider request that holds it. Both are
// given as they stand in the body.
func change(s *record.Session, was, now string) (place string) {
	for _, x := range s.Exchanges {
		for i := range x.Upstream {
			body := x.Upstream[i].Request.Body.Bytes()
			if bytes.Contains(body, []byte(was)) {
				x.Upstream[i].Request.Body = record.Text{bytes.Replace(body, []byte(was), []byte(now), 1)}
				return x.Place
			}
		}
	}
	return ""
}
