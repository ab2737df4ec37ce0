package tools

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"trunkline/e2e/recordings"
)

// Whatever the events say, nothing panics, what is rebuilt is JSON, and the
// bytes of a stream that needs no change all come out.
func FuzzAnswer(f *testing.F) {
	for _, s := range [][]byte{
		[]byte(chunkOf(`{"role":"assistant","content":"a","reasoning_details":[{"index":0,"text":"a"}]}`, "")),
		[]byte(chunkOf(callsDelta(tc("0", "a", SendMessage, "{"), tc("-", "b", "pick", "}")), "tool_calls")),
		[]byte(`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"a":1}}},null,1]}}],"error":{}}`),
		[]byte(usageOf(`{"prompt_tokens":1,"completion_tokens":-1.5e3,"total_tokens":"x"}`)),
		[]byte("[DONE]"), []byte("\xff"), []byte(`{"choices":{"delta":[]}}`), []byte(`{"choices":[{"index":0,"index":1,"delta":{"content":[1],"content":{"a":1}}}]}`),
	} {
		f.Add(s, s, "")
		f.Add(s, []byte(chunkOf(`{"content":"x","reasoning_details":[{"index":0,"text":"b","id":"q"}]}`, "stop")), "error")
	}
	// Numbered faults of the field: 20, 23, 24, 29, 30, 33.
	for _, pair := range [][2]string{
		{callsDelta(tc("0", "a1", SendMessage, "")), callsDelta(tc("0", "", "", `{"to":"b"}`))},
		{callsDelta(tc("0", "a1", SendMessage, `{"to":`)), callsDelta(tc("0", "a1", SendMessage, `"b"}`))},
		{`{"role":"assistant","content":null,"tool_calls":[` + tc("0", "a1", SendMessage, `{"to":"b","text":"t"}`) + `]}`, `{}`},
		{callsDelta(tc("0", "a1", SendMessage, `{"to":"b","te`)), callsDelta(tc("0", "f:0", "pick", "{}"), tc("1", "f:0", "pick", "{}"))},
	} {
		for _, finish := range []string{"", "stop", "tool_calls", "length"} {
			f.Add([]byte(chunkOf(pair[0], "")), []byte(chunkOf(pair[1], finish)), "")
		}
	}
	f.Add([]byte(chunkOf(`{"content":"a"}`, "")), []byte(`{"error":{"message":"busy","code":502},"choices":[]}`), "")
	f.Add([]byte(chunkOf(`{"content":"a"}`, "")), []byte(`{"choices":[{"index":0,"de`), "")
	f.Add([]byte(`{"choices":[{"index":1,"delta":`+callsDelta(tc("0", "b", SendMessage, "{}"))+`}]}`), []byte(chunkOf(callsDelta(tc("0", "a", SendMessage, "{}")), "")), "")
	// Of what real servers stream, each form of two events in a row.
	_, streams := recordings.Seeds(f)
	values, seen := regexp.MustCompile(`:("[^"]*"|[0-9.]+)`), map[string]bool{}
	for _, s := range streams {
		var last string
		for event := range strings.SplitSeq(s, "\n\n") {
			_, data, _ := strings.Cut(event, "data: ")
			if form := values.ReplaceAllString(last+data, ":"); !seen[form] {
				seen[form] = true
				f.Add([]byte(last), []byte(data), "")
			}
			last = data
		}
	}
	f.Fuzz(func(t *testing.T, one, two []byte, event string) {
		var a, whole Answer
		v := NewView(ViewConfig{Own: ours, HideUsage: len(one)%2 == 0})
		for _, data := range [][]byte{one, two, one, two} {
			a.Event(event, data)
			v.Frame(append(append([]byte("data: "), data...), "\n\n"...), event, data)
		}
		whole.Parse(one)
		for _, m := range [][]byte{a.Message(), whole.Message()} {
			if !json.Valid(m) {
				t.Fatalf("not JSON: %q", m)
			}
			r := Replay{Shape: NewShape("s", "m"), Message: m}
			if !json.Valid(r.JSON()) || !json.Valid(Seen([][]byte{m, m}, ours)) {
				t.Fatalf("not JSON: %q", r.JSON())
			}
			if again := new(Answer); !again.reads(r.JSON()) || !bytes.Equal(again.Message(), m) && len(a.Calls())+len(whole.Calls()) == 0 {
				t.Fatalf("%q became %q", m, again.Message())
			}
		}
		_ = a.Text()
		_ = a.Calls()
		v.End(false)
		v.Frame(append(append([]byte("data: "), two...), "\n\n"...), "", two)
		v.End(true)
		v.Interrupt()
		if joined, err := Join(nil, [][]byte{one, two}, ours); err == nil && !json.Valid(joined) {
			t.Fatalf("not JSON: %q", joined)
		}
	})
}

func (a *Answer) reads(body []byte) bool {
	a.Parse(body)
	return !a.Unread
}
