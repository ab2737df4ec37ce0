package tools

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Models read these, and they stand in stored histories.
func TestTextsArePinned(t *testing.T) {
	want, err := os.ReadFile("testdata/texts.golden")
	if err != nil {
		t.Fatal(err)
	}
	listed := []Listed{
		{ID: "b", Status: "running", Label: "tests", Parent: "a", Depth: 1},
		{ID: "c", Status: "ready", Parent: "b", Depth: 2},
		{ID: "d", Diagnostic: "its record cannot be read"},
	}
	lines := []string{
		string(Message("root:1", "first \"line\"\n<second> & é")),
		string(MessageSource("root:1")),
		string(Notice("b", "completed", "all done")),
		string(Notice("b", "aborted", " \n")),
		string(NoticeSource("b", "completed")),
		string(quote(Guidance("root:1"))),
		Delivered("b", ReadsNextStep),
		Delivered("b", StartsTurn),
		Delivered("b", WaitsForClient),
		Interrupted("b"),
		NotDelivered(Unknown("agent-l", []string{"agent-1", "agent-2", "other"})),
		NotDelivered(Unknown("x", nil)),
		NotInterrupted("agent b is not below you"),
		Refused("the arguments are not one JSON object"),
		List(listed, Children),
		List(listed, Descendants),
		List(nil, Children),
		string(Result("call \"1\"", "message delivered")),
	}
	if got := strings.Join(lines, "\n") + "\n"; got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNoticeCutsALongClosingAtACharacter(t *testing.T) {
	var item struct{ Content string }
	if err := json.Unmarshal(Notice("b", "completed", "x"+strings.Repeat("é", maxClosing)), &item); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(item.Content, "\n")
	closing, note, _ := strings.Cut(rest, "\n")
	if len(closing) != maxClosing-1 || strings.Contains(closing, "\ufffd") || !strings.Contains(note, "transcript of agent b") {
		t.Errorf("%d bytes of closing message, note %q", len(closing), note)
	}
	if err := json.Unmarshal(Notice("b", "completed", strings.Repeat("x", maxClosing)), &item); err != nil || !strings.HasSuffix(item.Content, "x") {
		t.Error("a closing message of just 16 KiB must stay whole")
	}
}

func TestCase37InsertedTextIsClean(t *testing.T) {
	for in, want := range map[string]string{"a\xffb": "a\ufffdb", "half \xed\xa0\xbd": "half \ufffd", "ok é": "ok é"} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if item := Message("a", "x\xff"); !strings.Contains(string(item), `x\ufffd`) && !strings.Contains(string(item), "x\ufffd") {
		t.Errorf("%q", item)
	}
}
