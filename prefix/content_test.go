package prefix

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTextIsAddedToContent(t *testing.T) {
	const text = "a\"b"
	for _, c := range []struct{ item, appended, prepended string }{
		{`{"role":"user", "content" : "t\u0061sk"}`, `{"role":"user", "content" : "t\u0061ska\"b"}`, `{"role":"user", "content" : "a\"bt\u0061sk"}`},
		{`{"content":""}`, `{"content":"a\"b"}`, `{"content":"a\"b"}`},
		{`{"content":[ {"x":1} ],"k":2}`, `{"content":[ {"x":1} ,{"type":"text","text":"a\"b"}],"k":2}`, `{"content":[{"type":"text","text":"a\"b"}, {"x":1} ],"k":2}`},
		{`{"content":[ ]}`, `{"content":[ {"type":"text","text":"a\"b"}]}`, `{"content":[{"type":"text","text":"a\"b"} ]}`},
		{`{"content":null,"k":2}`, `{"content":"a\"b","k":2}`, `{"content":"a\"b","k":2}`},
		{`{"role":"user" }`, `{"role":"user","content":"a\"b" }`, `{"role":"user","content":"a\"b" }`},
		{` { } `, ` {"content":"a\"b" } `, ` {"content":"a\"b" } `},
		{`{"content":"x","c\u006fntent":"y"}`, `{"content":"x","c\u006fntent":"ya\"b"}`, `{"content":"x","c\u006fntent":"a\"by"}`},
		{`{"content":"half \ud83d"}`, `{"content":"half \ud83da\"b"}`, `{"content":"a\"bhalf \ud83d"}`},
	} {
		if got, ok := AppendText([]byte(c.item), text); !ok || string(got) != c.appended || !json.Valid(got) {
			t.Errorf("append to %s: %s, %v", c.item, got, ok)
		}
		if got, ok := PrependText([]byte(c.item), text); !ok || string(got) != c.prepended || !json.Valid(got) {
			t.Errorf("prepend to %s: %s, %v", c.item, got, ok)
		}
	}
	for _, item := range []string{`{"content":1}`, `{"content":{}}`, `{"content":false}`, `[]`, `"x"`, ``, `{"content":`} {
		if got, ok := AppendText([]byte(item), text); ok {
			t.Errorf("append to %s: %s", item, got)
		}
	}
}

func FuzzAppendText(f *testing.F) {
	f.Add([]byte(`{"content":[{}]}`), "x")
	f.Add([]byte(`{"content":"\\"}`), "\xff\"")
	f.Fuzz(func(t *testing.T, item []byte, text string) {
		before := string(item)
		for _, add := range []func([]byte, string) ([]byte, bool){AppendText, PrependText} {
			got, ok := add(item, text)
			if string(item) != before {
				t.Fatal("the item was written to")
			}
			if !ok {
				continue
			}
			if !json.Valid(got) || !strings.Contains(string(got), string(appendEscaped(nil, text))) {
				t.Fatalf("%q with %q is %q", item, text, got)
			}
		}
	})
}
