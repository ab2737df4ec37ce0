package prefix

import (
	"encoding/json"
	"testing"
)

func TestPlain(t *testing.T) {
	const string1 = `{"role":"user","content":"a\u0062"}`
	for item, want := range map[string]string{
		`{"role":"user","content":[{"type":"text","text":"a\u0062"}]}`:                string1,
		`{"role":"user","content":[ { "text" : "a\u0062" , "type":"text" } ]}`:        string1,
		`{"role":"user","content":"x","content":[{"type":"text","text":"a"}]}`:        `{"role":"user","content":"x","content":[{"type":"text","text":"a"}]}`,
		`{"role":"user","content":[{"type":"text","text":"a"}],"content":"x"}`:        `{"role":"user","content":[{"type":"text","text":"a"}],"content":"x"}`,
		`{"role":"user","content":[{"type":"text","text":"a","annotations":[]}]}`:     `{"role":"user","content":[{"type":"text","text":"a","annotations":[]}]}`,
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}]}`: `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}]}`,
		`{"role":"user","content":[{"type":"input_text","text":"a"}]}`:                `{"role":"user","content":[{"type":"input_text","text":"a"}]}`,
		`{"role":"user","content":[{"type":"text","text":null}]}`:                     `{"role":"user","content":[{"type":"text","text":null}]}`,
		`{"role":"user","content":[]}`:                                                `{"role":"user","content":[]}`,
		`{"role":"user"`:                                                              `{"role":"user"`,
		string1:                                                                       string1,
	} {
		if got := string(Plain([]byte(item))); got != want {
			t.Errorf("Plain(%s)\n got %s\nwant %s", item, got, want)
		}
	}
}

func FuzzPlainStaysJSON(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"x"}]}`))
	f.Add([]byte(`{"content":[{"type":"text","text":"x"}],"content":[{"text":"\"","type":"text"}]}`))
	f.Fuzz(func(t *testing.T, item []byte) {
		before := string(item)
		got := Plain(item)
		if string(item) != before {
			t.Fatal("the input was changed")
		}
		if json.Valid(item) != json.Valid(got) || string(Plain(got)) != string(got) {
			t.Fatalf("%s\nbecame %s", item, got)
		}
	})
}
