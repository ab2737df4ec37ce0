package tools

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"
)

// The walkers see what encoding/json sees, on anything that it accepts.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b\u0063":[true,null,"x\\\"]"], "c" : {} }`, ` [ "\\" , -1e5 , {"k":[[]]} ] `, `{}`, `[]`, `"a"`, `1`, "\"\\ud83d\"", `{"":""}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !json.Valid(b) {
			return
		}
		top := whole(b)
		var object map[string]json.RawMessage
		if kind(b, top) == '{' && json.Unmarshal(b, &object) == nil {
			got := map[string]string{}
			for key, value := range members(b, top) {
				n := text(b, key)
				if utf8.Valid(name(b, key)) && string(name(b, key)) != n {
					t.Fatalf("name %q, want %q", name(b, key), n)
				}
				got[n] = string(value.of(b))
			}
			if len(got) != len(object) {
				t.Fatalf("%d members, want %d", len(got), len(object))
			}
			for k, v := range object {
				if got[k] != string(v) {
					t.Fatalf("member %q: %s, want %s", k, got[k], v)
				}
			}
		}
		var array []json.RawMessage
		if kind(b, top) == '[' && json.Unmarshal(b, &array) == nil {
			var got []string
			for value := range elements(b, top) {
				got = append(got, string(value.of(b)))
			}
			if !slices.EqualFunc(got, array, func(x string, y json.RawMessage) bool { return x == string(y) }) {
				t.Fatalf("elements %q, want %q", got, array)
			}
		}
		var s string
		if kind(b, top) == '"' && json.Unmarshal(b, &s) == nil && text(b, top) != s {
			t.Fatalf("text %q, want %q", text(b, top), s)
		}
	})
}

func TestQuoteEscapesOnlyWhatMustBe(t *testing.T) {
	for in, want := range map[string]string{"<&>é": `"<&>é"`, "a\"\\\n\x01": `"a\"\\\n\u0001"`, "\xff": `"\ufffd"`} {
		if got := string(quote(in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestRemoveTakesTheCommasAlong(t *testing.T) {
	const b = `[ 0, 1 , 2,3 ]`
	for mask, want := range map[int]string{
		0b0000: `[ 0, 1 , 2,3 ]`, 0b0001: `[ 1 , 2,3 ]`, 0b1000: `[ 0, 1 , 2 ]`, 0b0110: `[ 0, 3 ]`, 0b1100: `[ 0, 1 ]`, 0b1001: `[ 1 , 2 ]`, 0b1011: `[ 2 ]`, 0b1111: `[  ]`,
	} {
		siblings := slices.Collect(elements([]byte(b), whole([]byte(b))))
		got := string(splice([]byte(b), remove(siblings, func(i int) bool { return mask&(1<<i) != 0 })))
		if got != want {
			t.Errorf("%04b: %s, want %s", mask, got, want)
		}
	}
}

func TestReframeKeepsTheOtherLines(t *testing.T) {
	for in, want := range map[string]string{
		"data: {}\n\n":                                  "data: X\n\n",
		"id: 7\r\ndata:{}\r\nevent: e\r\n\r\n":          "id: 7\r\ndata: X\r\nevent: e\r\n\r\n",
		"\ufeffdata: {\rdata: }\r: c\r\r":               "data: X\r: c\r\r",
		"\ndata: {}\n\n":                                "\ndata: X\n\n",
		": data: 1\ndata\ndata: {}\nretry: data: 1\n\n": ": data: 1\ndata: X\nretry: data: 1\n\n",
	} {
		if got := string(reframe([]byte(in), []byte("X"))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := string(reframe([]byte("data: {\ndata: }\n\n"), []byte("{\n}"))); got != "data: { }\n\n" {
		t.Errorf("joined lines: %q", got)
	}
}
