package tools

import (
	"bytes"
	"encoding/json"
	"testing"
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
