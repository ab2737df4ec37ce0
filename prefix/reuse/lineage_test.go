package reuse

import (
	"strings"
	"testing"

	"trunkline/prefix"
)

// TestTheSameWordsUnderAnotherHead: two conversations with the same words under heads of
// their own each grow without a break, though one of them is always ahead, and a change of
// head within one of them is still told.
func TestTheSameWordsUnderAnotherHead(t *testing.T) {
	items := []string{userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), userItem("5"), answerItem("6"), userItem("7")}
	for name, other := range map[string]func(body string) string{
		"another model":         func(b string) string { return strings.Replace(b, "m1", "m2", 1) },
		"another system prompt": func(b string) string { return strings.Replace(b, `"s"`, `"other"`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newConversation(t)
			for n := 1; n <= len(items); n += 2 {
				c.lineage = "ahead"
				ahead := c.send(sentBody("s", "", items[:n]...))
				c.lineage = "behind"
				behind := c.send(other(sentBody("s", "", items[:n]...)))
				if n > 1 && (ahead.Cause != prefix.CauseNone || behind.Cause != prefix.CauseNone) {
					t.Errorf("%d items: ahead %+v, behind %+v", n, ahead, behind)
				}
			}
			grown := append(items[:len(items):len(items)], answerItem("8"), userItem("9"))
			if got := c.send(sentBody("third", "", grown...)); got.Cause != prefix.CauseSystemChanged && got.Cause != prefix.CauseModelChanged {
				t.Errorf("the head of the one behind changed: %+v", got)
			}
		})
	}
}

// TestArgumentsWrittenAnew: a call whose arguments say the same in other bytes was not
// changed but written anew; what was said otherwise was changed.
func TestArgumentsWrittenAnew(t *testing.T) {
	call := func(arguments string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"pick","arguments":` + string(prefix.Quote(arguments)) + `}}]}`
	}
	for arguments, want := range map[string]prefix.Cause{
		`{"a":1,"b":[2]}`:      prefix.CauseNone,
		`{"a": 1, "b": [ 2 ]}`: prefix.CauseReserialised,
		`{"b":[2],"a":1}`:      prefix.CauseReserialised,
		`{"a":1,"b":[3]}`:      prefix.CauseHistoryRewritten,
		`{"a":1,"b":`:          prefix.CauseHistoryRewritten,
	} {
		c := newConversation(t)
		result := `{"role":"tool","tool_call_id":"c","content":"ok"}`
		c.send(sentBody("s", "", userItem("1"), call(`{"a":1,"b":[2]}`), result))
		if got := c.send(sentBody("s", "", userItem("1"), call(arguments), result, answerItem("2"), userItem("3"))); got.Cause != want {
			t.Errorf("%s: %+v, want %s", arguments, got, want)
		}
	}
}

// TestAMarkerThatMakesAStringAnArray: a client that writes a text as one part, to mark it,
// and as a string again when the marker has moved on, has not changed its history.
func TestAMarkerThatMakesAStringAnArray(t *testing.T) {
	marked := func(text string) string {
		return `{"role":"user","content":[{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral"}}]}`
	}
	c := newConversation(t)
	c.send(sentBody("s", "", marked("1")))
	for _, items := range [][]string{
		{marked("1"), answerItem("2"), marked("3")},
		{userItem("1"), answerItem("2"), marked("3"), answerItem("4"), marked("5")},
		{userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), marked("5"), answerItem("6"), marked("7")},
	} {
		if got := c.send(sentBody("s", "", items...)); got.Cause != prefix.CauseNone {
			t.Errorf("%d items: %+v", len(items), got)
		}
	}
}
