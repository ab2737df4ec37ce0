package prefix

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuoteIsFixed(t *testing.T) {
	in := "<a href=\"x\">\\ \n\r\t\b\x00\x1f\x7f é 😀 \u2028 \xff"
	want := `"<a href=\"x\">\\ \n\r\t\u0008\u0000\u001f` + "\x7f é 😀 \u2028 \uFFFD\""
	if got := string(Quote(in)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("a\"\\\n\x00\xff\xf0\x9f")
	f.Fuzz(func(t *testing.T, s string) {
		q := Quote(s)
		var back string
		if err := json.Unmarshal(q, &back); err != nil || !utf8.Valid(q) {
			t.Fatalf("%q: %v", q, err)
		}
		if want := strings.ToValidUTF8(s, ""); utf8.ValidString(s) && back != want {
			t.Fatalf("%q reads as %q", s, back)
		}
		if text, ok := Text(q); !ok || text != back {
			t.Fatalf("Text(%q) = %q", q, text)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, ok := Text(raw)
		if !ok {
			return
		}
		var want string
		if err := json.Unmarshal(raw, &want); err != nil || text != want {
			t.Fatalf("%q: %q, want %q (%v)", raw, text, want, err)
		}
	})
}

func TestTextOfOtherValues(t *testing.T) {
	for _, raw := range []string{``, `1`, `null`, `"a`, `"a" `, ` "a"`, "\"\n\"", `"a""b"`} {
		if text, ok := Text([]byte(raw)); ok {
			t.Errorf("%q reads as %q", raw, text)
		}
	}
}
