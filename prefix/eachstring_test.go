package prefix

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestEachString(t *testing.T) {
	for raw, want := range map[string][]string{
		`"a"`:                           {`:"a"`},
		` [ "a" , 1 , ["\u0062"] ] `:    {`:"a"`, `:"\u0062"`},
		`{"k":"a","l":[{"m":"b"},"c"]}`: {`"k":"a"`, `"m":"b"`, `"l":"c"`},
		`{"k":{},"\u006b":"a","l":7}`:   {`"\u006b":"a"`},
		`null`:                          nil,
	} {
		var got []string
		err := EachString([]byte(raw), func(key, text []byte) { got = append(got, string(key)+":"+string(text)) })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{``, ` `, `{`, `["a"`, `"a" "b"`, `{"a":x}`, `{"a"}`} {
		if err := EachString([]byte(raw), func(_, _ []byte) {}); (err == nil) != json.Valid([]byte(raw)) {
			t.Errorf("%q: %v", raw, err)
		}
	}
}
