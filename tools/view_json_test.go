package tools

import (
	"errors"
	"strings"
	"testing"
)

// response is a whole response body with this message.
func response(id, message, finish, usage string) []byte {
	return []byte(`{"id":"` + id + `", "object":"chat.completion","choices":[{"index":0,"message":` + message + `,"logprobs":null,"finish_reason":"` + finish + `"}],"usage":` + usage + `,"x":1}` + "\n")
}

func TestJoin(t *testing.T) {
	call := func(id, name string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":"{}"}}`
	}
	const u1, u2 = `{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`, `{"prompt_tokens":20,"completion_tokens":3,"total_tokens":23}`
	first := response("c1", `{"role":"assistant","content":"one\u00e9 ","tool_calls":[`+call("s", SendMessage)+`]}`, "tool_calls", u1)
	sum := `{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,"trunkline":{"steps":[` + u1 + `,` + u2 + `]}}`
	for _, tt := range []struct {
		name    string
		earlier [][]byte
		bodies  [][]byte
		want    []byte
	}{
		{"mixed", nil, [][]byte{response("c1", `{"role":"assistant","content":null, "tool_calls": [`+call("s", SendMessage)+`, `+call("p", "pick")+`]}`, "tool_calls", u1)},
			response("c1", `{"role":"assistant","content":null, "tool_calls": [`+call("p", "pick")+`]}`, "tool_calls", u1)},
		{"case 41 the last call goes with its key", nil, [][]byte{first},
			response("c1", `{"role":"assistant","content":"one\u00e9 "}`, "stop", u1)},
		{"two steps", nil, [][]byte{first, response("c2", `{"role":"assistant","content":"two","refusal":null}`, "stop", u2)},
			response("c2", `{"role":"assistant","content":"one\u00e9 two","refusal":null}`, "stop", sum)},
		{"the last without content", nil, [][]byte{first, response("c2", `{"role":"assistant"}`, "stop", u2)},
			response("c2", `{"role":"assistant","content":"one\u00e9 "}`, "stop", sum)},
		{"the last with null", nil, [][]byte{first, response("c2", `{"role":"assistant","content":null,"tool_calls":[`+call("p", "pick")+`]}`, "tool_calls", u2)},
			response("c2", `{"role":"assistant","content":"one\u00e9 ","tool_calls":[`+call("p", "pick")+`]}`, "tool_calls", sum)},
		{"the last with parts", nil, [][]byte{first, response("c2", `{"role":"assistant","content":[{"type":"text","text":"two"}]}`, "stop", u2)},
			response("c2", `{"role":"assistant","content":[{"type":"text","text":"one\u00e9 "},{"type":"text","text":"two"}]}`, "stop", sum)},
		{"kept steps", [][]byte{[]byte(`{"role":"assistant","content":"zero "}`)}, [][]byte{response("c2", `{"role":"assistant","content":"two"}`, "stop", u2)},
			response("c2", `{"role":"assistant","content":"zero two"}`, "stop", u2)},
		{"a step that did not report", nil, [][]byte{response("c1", `{"role":"assistant","content":"one "}`, "stop", "null"), response("c2", `{"role":"assistant","content":"two"}`, "stop", u2)},
			response("c2", `{"role":"assistant","content":"one two"}`, "stop", `{"prompt_tokens":20,"completion_tokens":3,"total_tokens":23,"trunkline":{"steps":[null,`+u2+`]}}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Join(tt.earlier, tt.bodies, ours)
			if err != nil || string(got) != string(tt.want) {
				t.Errorf("error %v\ngot  %s\nwant %s", err, got, tt.want)
			}
		})
	}
}

func TestJoinReturnsTheSameBytesWhereItCan(t *testing.T) {
	for _, body := range [][]byte{
		response("c1", `{"role":"assistant","content":"a","tool_calls":[{"id":"p","type":"function","function":{"name":"pick","arguments":"{}"}}]}`, "stop", `{}`),
		response("c1", `{"role":"assistant","content":"","tool_calls":[]}`, "tool_calls", `null`),
		[]byte(`{"choices":[{"index":0,"message":{"content":"a"}},{"index":1,"message":{"content":"b"}}]}`),
	} {
		got, err := Join(nil, [][]byte{body}, ours)
		if err != nil || &got[0] != &body[0] || len(got) != len(body) {
			t.Errorf("error %v, got %s", err, got)
		}
	}
}

func TestJoinNeedsAMessage(t *testing.T) {
	for _, body := range []string{`{"error":{"message":"busy"}}`, `{"choices":[]}`, `not json`, ``} {
		if got, err := Join(nil, [][]byte{[]byte(body)}, ours); !errors.Is(err, ErrNoAnswer) {
			t.Errorf("%s: %s, %v", body, got, err)
		}
	}
	if _, err := Join(nil, nil, ours); !errors.Is(err, ErrNoAnswer) {
		t.Error(err)
	}
}

func TestSeen(t *testing.T) {
	call := `{"id":"f:0","type":"function","function":{"name":"send_message","arguments":"{}"}}`
	theirs := strings.Replace(call, "send_message", "pick", 1)
	bare := strings.Replace(theirs, "{}", "", 1)
	alone := `{"role": "assistant","content":"a","tool_calls":[` + theirs + `]}`
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"alone", []string{alone}, alone},
		{"case 41 only ours", []string{`{"role":"assistant","content":null,"tool_calls":[` + call + `]}`}, `{"role":"assistant","content":null}`},
		{"case 41 two calls", []string{`{"role":"assistant","tool_calls":[` + call + `,` + theirs + `]}`}, `{"role":"assistant","tool_calls":[` + theirs + `]}`},
		{"case 42 equal ids in two steps", []string{
			`{"role":"assistant","content":"a\u00e9","reasoning_content":"r","tool_calls":[` + call + `]}`,
			`{"role":"assistant","content":"b","reasoning_content":"s","tool_calls":[` + theirs + `,` + call + `]}`,
		}, `{"role":"assistant","content":"a\u00e9b","reasoning_content":"rs","tool_calls":[` + theirs + `]}`},
		{"case 42 equal ids without arguments", []string{
			`{"role":"assistant","tool_calls":[` + call + `]}`,
			`{"role":"assistant","tool_calls":[` + bare + `,` + bare + `]}`,
		}, `{"role":"assistant","tool_calls":[` + bare + `,` + bare + `]}`},
		{"null then text", []string{`{"role":"assistant","content":null,"tool_calls":[` + call + `]}`, `{"role":"assistant","content":"b"}`}, `{"role":"assistant","content":"b"}`},
	} {
		var items [][]byte
		for _, m := range tt.in {
			items = append(items, []byte(m))
		}
		if got := string(Seen(items, ours)); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
