package sse

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"trunkline/e2e/recordings"
)

func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"data: a\n\ndata: b\r\n\r\n: c\r\r", "\ufeff\r\ndata", "id: 7\nevent:x\ndata:1\ndata:2\n\n", "\n\r\r\n\ndata:\n\n", "\xef\xbb",
		// Numbered faults of the field: 26, 28 (in small), 29, 30.
		": OPENROUTER PROCESSING\n\n", "retry: 1000\n\n", "id: 7\ndata: {}\n\n: ping\n\ndata: {}\n\n",
		"data: " + strings.Repeat("x", 700) + "\n\ndata: [DONE]\n\n",
		"event: error\ndata: {\"message\":\"busy\"}\n\n",
		"data: {\"choices\":[]}\n\ndata: {\"choi",
	} {
		f.Add([]byte(s), uint8(1), uint16(0))
		f.Add([]byte(s), uint8(3), uint16(8))
	}
	_, streams := recordings.Seeds(f)
	for _, s := range streams {
		f.Add([]byte(s), uint8(16), uint16(0))
	}
	f.Fuzz(func(t *testing.T, in []byte, n uint8, max uint16) {
		raw, got, events, err := drain(NewReader(&pieces{in, int(n) + 1}, int(max)))
		if err != nil || !bytes.Equal(raw, in) {
			t.Fatalf("raw %q of %q, error %v", raw, in, err)
		}
		uninspected := slices.ContainsFunc(events, func(e Event) bool { return e.Uninspected })
		if want := reference(in); !uninspected && !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", in, got, want)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	for _, bb := range []struct {
		name  string
		event string
		n     int
	}{
		{"tokens", `data: {"id":"x1","object":"chat.completion.chunk","created":1,"model":"m1","choices":[{"index":0,"delta":{"content":"token"},"finish_reason":null}]}` + "\n\n", 1000},
		{"5MiB line", "data: " + string(bytes.Repeat([]byte{'x'}, 5<<20)) + "\n\n", 1},
	} {
		b.Run(bb.name, func(b *testing.B) {
			in := bytes.Repeat([]byte(bb.event), bb.n)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader(&pieces{in, 1 << 10}, 0)
				for {
					if _, err := r.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}
