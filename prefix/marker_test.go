package prefix

import (
	"encoding/json"
	"testing"
)

func TestMarkerStandsInTheLastText(t *testing.T) {
	all := Marker{Member: `"cache_control":{"type":"ephemeral"}`, Assistant: true, Tool: true}
	for _, c := range []struct{ item, want string }{
		{`{"role":"user", "content" : "t\u0061sk" ,"name":"a"}`, `{"role":"user", "content" : [{"type":"text","text":"t\u0061sk","cache_control":{"type":"ephemeral"}}] ,"name":"a"}`},
		{`{"role":"system","content":[ {"type":"text","text":"a"} , {"type":"text", "text":"b" } ]}`, `{"role":"system","content":[ {"type":"text","text":"a"} , {"type":"text", "text":"b","cache_control":{"type":"ephemeral"} } ]}`},
		{`{"role":"user","content":[{"text":"a","type":"text"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":" \n"}]}`, `{"role":"user","content":[{"text":"a","type":"text","cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":" \n"}]}`},
		{`{"role":"developer","content":"x","c\u006fntent":"y"}`, `{"role":"developer","content":"x","c\u006fntent":[{"type":"text","text":"y","cache_control":{"type":"ephemeral"}}]}`},
		{`{"role":"assistant","content":"x","tool_calls":[{"id":"1"}]}`, `{"role":"assistant","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}],"tool_calls":[{"id":"1"}]}`},
		{`{"role":"tool","tool_call_id":"1","content":"x"}`, `{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}`},
	} {
		if got, ok := all.In([]byte(c.item)); !ok || string(got) != c.want || !json.Valid(got) {
			t.Errorf("%s becomes\n%s, %v; want\n%s", c.item, got, ok, c.want)
		}
	}
}

func TestMarkerNeedsATextToStandIn(t *testing.T) {
	all := Marker{Member: `"m":1`, Assistant: true, Tool: true}
	for _, item := range []string{
		`{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}`,
		`{"role":"assistant","tool_calls":[{"id":"1"}]}`,
		`{"role":"assistant","content":"","refusal":"no"}`,
		`{"role":"user","content":"\n\u0020"}`,
		`{"role":"user","content":[]}`,
		`{"role":"user","content":[{"type":"text","text":""}]}`,
		`{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}`,
		`{"role":"user","content":["x"]}`,
		`{"role":"user","content":{"text":"x"}}`,
		`{"role":"function","name":"f","content":"x"}`,
		`{"content":"x"}`, `"x"`, `[]`, `{"role":"user","content":[`,
	} {
		if got, ok := all.In([]byte(item)); ok {
			t.Errorf("%s becomes %s", item, got)
		}
	}
	some := Marker{Member: `"m":1`}
	for _, item := range []string{`{"role":"assistant","content":"x"}`, `{"role":"tool","content":"x"}`} {
		if got, ok := some.In([]byte(item)); ok {
			t.Errorf("%s becomes %s, though the provider takes none there", item, got)
		}
	}
}

func FuzzMarkerLeavesTheItemReadable(f *testing.F) {
	f.Add([]byte(`{"role":"user","content":[{"type":"text","text":"a"},{}]}`))
	f.Add([]byte(`{"role":"tool","content":"\ud83d"}`))
	f.Fuzz(func(t *testing.T, item []byte) {
		m := Marker{Member: `"cache_control":{"type":"ephemeral"}`, Assistant: true, Tool: true}
		got, ok := m.In(item)
		if !ok || !json.Valid(item) {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%s becomes %s", item, got)
		}
		if text := ContentText(got); text != ContentText(item) {
			t.Fatalf("%s reads %q as %s", item, text, got)
		}
	})
}
