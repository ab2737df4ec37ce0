package reuse

import "testing"

// TestWeightOfAnItem: what counts is what a template prints, however the client writes it.
func TestWeightOfAnItem(t *testing.T) {
	text := func(n, pieces int64) Weight { return Weight{n, pieces}.plus(around()) }
	for _, tt := range []struct {
		name, item string
		want       Weight
	}{
		{"text", `{"role":"user","content":"two words"}`, text(9, 2)},
		{"in parts", `{"role":"user","content":[{"type":"text","text":"two "},{"type":"text","text":"words"}]}`, text(9, 2)},
		{"spaced out", `{ "content" : "two words" , "role" : "user" }`, text(9, 2)},
		{"escapes", `{"role":"user","content":"a\n\t\tb \"c\""}`, text(9, 6)},
		{"other scripts", `{"role":"user","content":"日本語"}`, text(9, 3)},
		{"other scripts, escaped", `{"role":"user","content":"\u65e5\u672c\u8A9e"}`, text(9, 3)},
		{"a surrogate pair", `{"role":"user","content":"\ud83d\ude00"}`, text(4, 1)},
		{"an ASCII letter, escaped", `{"role":"user","content":"\u0061bc"}`, text(3, 1)},
		{"nothing", `{"role":"assistant","content":null}`, text(0, 0)},
		{"a call", `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1234","type":"function","function":{"name":"look","arguments":"{\"at\":1}"}}]}`, text(4+8, 1+5).plus(around()).plus(around())},
		{"a picture", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"text","text":"this"}]}`, text(4, 1)},
		{"a picture within", `{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}`, text(0, 0)},
		{"no JSON", `plain words`, text(11, 2)},
		{"more than one", `"a" "b"`, text(7, 6)},
	} {
		if got := weighItem([]byte(tt.item)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestWeightOfALongText: of a very long one the beginning stands for the rest.
func TestWeightOfALongText(t *testing.T) {
	long := make([]byte, 3*maxWeighed)
	for i := range long {
		long[i] = "word "[i%5]
	}
	if got, want := weighRaw(long), (Weight{int64(len(long)), int64(len(long) / 5)}); got.Text != want.Text || got.Pieces-want.Pieces > 10 || want.Pieces-got.Pieces > 10 {
		t.Errorf("%+v, want about %+v", got, want)
	}
}

// FuzzWeighItem: any bytes have a weight, and no text is longer than what it is written in.
func FuzzWeighItem(f *testing.F) {
	f.Add([]byte(`{"content":"\ud8\u00e9\\"}`))
	f.Add([]byte(`{"content":[{"text":"a"},null,1]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		w := weighItem(raw)
		if w.Text < around().Text || w.Text > int64(2*len(raw))+2*around().Text || w.Pieces > w.Text+around().Text {
			t.Errorf("%q: %+v", raw, w)
		}
	})
}
