package prefix

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestHeadEncodingKeepsEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := genHead.Draw(t, "head")
		if len(h.Tools) == 0 && rapid.Bool().Draw(t, "no list") {
			h.Tools = nil
		}
		data := h.Encode()
		got, err := DecodeHead(data)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equal(h) || (got.Tools == nil) != (h.Tools == nil) || got.Size() != h.Size() {
			t.Fatalf("got %s, want %s", show(got), show(h))
		}
		if !bytes.Equal(got.Encode(), data) {
			t.Fatal("a second encoding differs")
		}
		if o := genHead.Draw(t, "other"); o.Equal(h) != bytes.Equal(o.Encode(), data) && (o.Tools == nil) == (h.Tools == nil) {
			t.Fatalf("Equal and the encodings disagree about %s and %s", show(h), show(o))
		}
		for cut := range data {
			if _, err := DecodeHead(data[:cut]); !errors.Is(err, ErrHead) {
				t.Fatalf("cut at %d of %d: %v", cut, len(data), err)
			}
		}
	})
}

func TestHeadEncodingIsFixed(t *testing.T) {
	h := Head{Tools: values(`1`), System: values(`"s"`), Fields: []Field{{"model", []byte(`"m"`)}}}
	want := "\x01\x02\x01\x01" + "\x011" + "\x03\"s\"" + "\x05model\x03\"m\""
	if got := string(h.Encode()); got != want {
		t.Errorf("got %q, want %q: stored heads could no longer be read", got, want)
	}
}

func TestHeadCountsRawValuesOnly(t *testing.T) {
	b := mustSplit(t, `{"model" : "m1", "tools":[ {} ], "messages":[{"role":"system"}, {"role":"user"}], "temperature":1, "x": [1, 2]}`)
	h := HeadOf(b)
	if want := len(`"m1"`) + len(`{}`) + len(`{"role":"system"}`) + len(`[1, 2]`); h.Size() != want {
		t.Errorf("size %d, want %d of %s", h.Size(), want, show(h))
	}
}

func FuzzDecodeHead(f *testing.F) {
	f.Add(Head{}.Encode())
	f.Add(Head{Tools: values(`1`, ``), System: values(`2`), Fields: []Field{{"a", []byte(`3`)}}}.Encode())
	f.Add([]byte("\x01\xff\xff\xff\xff\x0f\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := DecodeHead(data)
		if err != nil {
			if !errors.Is(err, ErrHead) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(h.Encode(), data) {
			t.Fatalf("%q reads as %s, which is written as %q", data, show(h), h.Encode())
		}
	})
}
