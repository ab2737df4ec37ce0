package tools

import "testing"

// The usual case: a text delta that passes as it is.
func BenchmarkViewText(b *testing.B) {
	data := []byte(chunkOf(`{"content":"token"}`, ""))
	raw := []byte(ev(string(data)))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	v := NewView(ViewConfig{Own: ours})
	for b.Loop() {
		if out := v.Frame(raw, "", data); &out[0] != &raw[0] {
			b.Fatal("copied")
		}
	}
}
