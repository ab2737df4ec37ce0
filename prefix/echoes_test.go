package prefix

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestEchoesAreBounded(t *testing.T) {
	m := NewEchoes(10)
	for i := range 1000 {
		a, b := fmt.Appendf(nil, `{"role":"user","content":"%d"}`, i), fmt.Appendf(nil, `{"content":"%d","role":"user"}`, i)
		for range 2 { // found out, then remembered
			if !m.same(a, b) {
				t.Fatalf("%s and %s differ", a, b)
			}
		}
		if m.same(b, []byte(`{}`)) {
			t.Fatal("different items are the same")
		}
		if n := len(m.young) + len(m.previous); n > 20 {
			t.Fatalf("%d pairs remembered", n)
		}
	}
}

func TestEchoesKeepWhatIsUsed(t *testing.T) {
	m := NewEchoes(10)
	used := []byte(`{"role":"user","content":"used"}`)
	for i := range 1000 {
		m.same(used, append(used, ' '))
		m.same(used, fmt.Appendf(nil, `{"content":"used", "role":"user"%*s}`, i, ""))
	}
	if !m.knows(echo{m.hash(used), m.hash(append(used, ' '))}) {
		t.Error("a pair met all the time was forgotten")
	}
}

func TestEchoesAreSafeTogether(t *testing.T) {
	m := NewEchoes(3)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				if !m.same(fmt.Appendf(nil, `{"a":%d}`, i%7), fmt.Appendf(nil, ` {"a":%d}`, i%7)) {
					t.Error("the same items differ")
				}
			}
		})
	}
	wg.Wait()
}

// longHistory has n items of about 1 KB, and its echo by a client that writes
// every answer anew.
func longHistory(t testing.TB, n int) (Branch, []Item) {
	text := strings.Repeat("word ", 180)
	var entries []Entry
	var seen []string
	for i := range n / 2 {
		user := fmt.Sprintf(`{"role":"user","content":"%d %s"}`, i, text)
		entries = append(entries, Entry{Item: []byte(user)}, Entry{
			Item:   fmt.Appendf(nil, `{"role":"assistant","content":"%d %s","reasoning_content":"think","tool_calls":[{"id":"c%d","type":"function","function":{"name":"f","arguments":"{ \"path\" : \"x\", \"n\": 2.50 }"}}]}`, i, text, i),
			Origin: OriginAnswer,
		})
		seen = append(seen, user, fmt.Sprintf(`{"content":"%d %s","role":"assistant","tool_calls":[{"id":"c%d","type":"function","function":{"arguments":"{\"n\":2.5,\"path\":\"x\"}","name":"f"}}]}`, i, text, i))
	}
	return branchOf(entries...), itemsOf(t, seen...)
}

// BenchmarkAlign: with memory a history of 10,000 items, half of them written
// anew by the client, costs about hashing and comparing its bytes.
func BenchmarkAlign(b *testing.B) {
	branch, seen := longHistory(b, 10_000)
	for _, c := range []struct {
		name string
		opt  Options
	}{
		{"echoes", Options{Repair: true, Sent: branch.Len(), Echoes: NewEchoes(10_000)}},
		{"without", Options{Repair: true, Sent: branch.Len()}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(branch.Bytes())
			b.ReportAllocs()
			for b.Loop() {
				if a := Align(branch, 0, seen, c.opt); a.Keep != branch.Len() {
					b.Fatal(summary(a))
				}
			}
		})
	}
}
