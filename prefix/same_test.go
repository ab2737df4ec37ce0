package prefix

import "testing"

func TestSame(t *testing.T) {
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{ \"b\" : 2.50,\"a\":\"é\"}"}}]}`
	for _, c := range []struct {
		name       string
		sent, seen string
		want       bool
	}{
		{"key order", `{"role":"user","content":"x"}`, `{"content":"x", "role":"user"}`, true},
		{"escapes", `{"role":"user","content":"é<"}`, `{"role":"user","content":"\u00e9\u003c"}`, true},
		{"another text", `{"role":"user","content":"x"}`, `{"role":"user","content":"y"}`, false},
		{"another role", `{"role":"system","content":"x"}`, `{"role":"developer","content":"x"}`, false},
		{"null content", `{"role":"assistant","content":""}`, `{"role":"assistant","content":null}`, true},
		{"absent content", `{"role":"assistant","content":""}`, `{"role":"assistant"}`, true},
		{"no parts", `{"role":"assistant","content":" \n"}`, `{"role":"assistant","content":[]}`, true},
		{"one part", `{"role":"assistant","content":"x"}`, `{"role":"assistant","content":[{"type":"text","text":"x","annotations":[]}]}`, true},
		{"two parts, joined", `{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`, `{"role":"user","content":"xy"}`, false},
		{"case 8, a part removed", `{"role":"user","content":[{"type":"text","text":"<note>n1</note>"},{"type":"text","text":"go"}]}`, `{"role":"user","content":"go"}`, false},
		{"outer blanks", `{"role":"assistant","content":"Let me look.\n\n"}`, `{"role":"assistant","content":"Let me look."}`, true},
		{"inner blanks", `{"role":"assistant","content":"a  b"}`, `{"role":"assistant","content":"a b"}`, false},
		{"the same image", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"u","detail":"low"}}]}`, `{"role":"user","content":[{"image_url":{"detail":"low","url":"u"},"type":"image_url"}]}`, true},
		{"another image", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"v"}}]}`, false},
		{"moved breakpoint", `{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}`, `{"role":"user","content":"x"}`, true},
		{"content that is no text", `{"role":"user","content":5}`, `{"role":"user","content":6}`, false},

		{"case 12, dumped again", call, `{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","index":0,"function":{"arguments":"{\"a\":\"\\u00e9\",\"b\":2.5}","name":"f","parsed_arguments":{}}}]}`, true},
		{"another argument", call, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":\"é\",\"b\":2.51}"}}]}`, false},
		{"another id", call, `{"role":"assistant","tool_calls":[{"id":"b","type":"function","function":{"name":"f","arguments":"{\"a\":\"é\",\"b\":2.5}"}}]}`, false},
		{"another name", call, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"invalid","arguments":"{\"a\":\"é\",\"b\":2.5}"}}]}`, false},
		{"a call gone", call, `{"role":"assistant","content":null}`, false},
		{"no arguments", `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":""}}]}`, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`, true},
		{"broken arguments", `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"a\":"}}]}`, `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"a\": "}}]}`, false},
		{"arguments as an object", `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"a\":1}"}}]}`, `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"a":1.0}}}]}`, true},
		{"a custom call", `{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"n","input":"i"}}]}`, `{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"n","input":"j"}}]}`, false},
		{"a legacy call", `{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\": 1}"}}`, `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}}`, true},
		{"another legacy call", `{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\": 1}"}}`, `{"role":"assistant","content":null}`, false},
		{"empty leftovers", `{"role":"assistant","content":"x"}`, `{"role":"assistant","content":"x","tool_calls":[],"function_call":null,"refusal":null,"audio":null,"status":"completed","id":"msg_1","annotations":[],"logprobs":null,"parsed":null}`, true},

		{"case 13, reasoning dropped", `{"role":"assistant","reasoning_content":"think","content":"x"}`, `{"role":"assistant","content":"x"}`, true},
		{"reasoning added", `{"role":"assistant","content":"x"}`, `{"role":"assistant","content":"x","reasoning":"r","reasoning_details":[{}]}`, true},
		{"an answer's field dropped", `{"role":"assistant","content":"x","vendor":{"a":1}}`, `{"role":"assistant","content":"x"}`, true},
		{"an answer's field changed", `{"role":"assistant","content":"x","vendor":{"a":1}}`, `{"role":"assistant","content":"x","vendor":{"a":2}}`, false},
		{"an answer's field added", `{"role":"assistant","content":"x"}`, `{"role":"assistant","content":"x","prefix":true}`, false},
		{"a client's field dropped", `{"role":"user","content":"x","name":"n"}`, `{"role":"user","content":"x"}`, false},
		{"a client's field added", `{"role":"user","content":"x"}`, `{"role":"user","content":"x","name":"n"}`, false},
		{"a client's field moved", `{"role":"user","vendor":{"a":1,"b":2},"content":"x"}`, `{"role":"user","content":"x","vendor":{"b":2,"a":1}}`, true},

		{"a result's name", `{"role":"tool","tool_call_id":"a","content":"x"}`, `{"role":"tool","name":"f","tool_call_id":"a","content":[{"type":"text","text":"x"}]}`, true},
		{"another call's result", `{"role":"tool","tool_call_id":"a","content":"x"}`, `{"role":"tool","tool_call_id":"b","content":"x"}`, false},
		{"case 16, output cleared", `{"role":"tool","tool_call_id":"a","content":"x"}`, `{"role":"tool","tool_call_id":"a","content":"[old output cleared]"}`, false},

		{"not an object", `"x"`, `"\u0078"`, true},
		{"not JSON", `x`, `y`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Same([]byte(c.sent), []byte(c.seen)); got != c.want {
				t.Errorf("Same = %v\nsent %s\nseen %s", got, c.sent, c.seen)
			}
			if !Same([]byte(c.sent), []byte(c.sent)) || !Same([]byte(c.seen), []byte(c.seen)) {
				t.Error("an item differs from itself")
			}
		})
	}
}

func FuzzSame(f *testing.F) {
	f.Add([]byte(`{"role":"user","content":[{"type":"text","text":" x "}]}`), []byte(`{"content":"x","role":"user"}`))
	f.Add([]byte(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}, 1]}`), []byte(`null`))
	f.Fuzz(func(t *testing.T, sent, seen []byte) {
		if !Same(sent, sent) {
			t.Fatalf("%q differs from itself", sent)
		}
		Same(sent, seen)
	})
}
