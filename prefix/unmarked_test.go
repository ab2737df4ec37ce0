package prefix

import (
	"encoding/json"
	"testing"
)

func TestUnmarked(t *testing.T) {
	const mark, point = `"cache_control":{"type":"ephemeral","ttl":"1h"}`, `"prompt_cache_breakpoint" : {"mode":"explicit"}`
	for _, tt := range []struct{ part, want string }{
		{`{"role":"user","content":"x"}`, `{"role":"user","content":"x"}`},
		{`{"type":"text","text":"x",` + mark + `}`, `{"type":"text","text":"x"}`},
		{`{` + mark + `,"text":"x"}`, `{"text":"x"}`},
		{`{` + mark + `}`, `{}`},
		{`{` + mark + ` , ` + point + `, "x":1}`, `{"x":1}`},
		{`{` + mark + `,` + point + `}`, `{}`},
		{`{"x":1 , ` + point + `,` + mark + `, "y":2}`, `{"x":1 , "y":2}`},
		{`{"x":1,"cache_control":null}`, `{"x":1}`},
		{`{"content":[{"text":"a",` + mark + `},{"text":"b",` + mark + `}]}`, `{"content":[{"text":"a"},{"text":"b"}]}`},
		{`{"name":"cache_control","x":"\"cache_control\":{\"type\":\"ephemeral\"}"}`, `{"name":"cache_control","x":"\"cache_control\":{\"type\":\"ephemeral\"}"}`},
		{`{"properties":{"cache_control":{"type":"string"}}}`, `{"properties":{"cache_control":{"type":"string"}}}`},
		{`{"cache_control"`, `{"cache_control"`},
		{`{"cache_control":{"type":"ephemeral"`, `{"cache_control":{"type":"ephemeral"`},
	} {
		if got := string(Unmarked([]byte(tt.part))); got != tt.want {
			t.Errorf("Unmarked(%s)\n got %s\nwant %s", tt.part, got, tt.want)
		}
	}
}

func FuzzUnmarkedStaysJSON(f *testing.F) {
	f.Add([]byte(`{"a":1,"cache_control":{"type":"ephemeral"},"prompt_cache_breakpoint":{"mode":1}}`))
	f.Add([]byte(`[{"cache_control":null,"cache_control":null,"b":"cache_control"}]`))
	f.Fuzz(func(t *testing.T, part []byte) {
		before := string(part)
		clean := Unmarked(part)
		if string(part) != before {
			t.Fatal("the input was changed")
		}
		if json.Valid(part) && !json.Valid(clean) {
			t.Fatalf("%s\nbecame %s", part, clean)
		}
	})
}
