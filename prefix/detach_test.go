package prefix

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDetachedBodyComposesTheSameBytes wipes the client's body once it is let go of, and
// composes what it would have given; then, as an answer's next step does, more.
func TestDetachedBodyComposesTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(genBody.Draw(t, "body"))
		b, err := Split(raw)
		if err != nil {
			t.Fatal(err)
		}
		head, items := HeadOf(b), rawItems(b.Items[b.LeadingSystem():])
		if rapid.Bool().Draw(t, "another head") {
			head = genHead.Draw(t, "head")
		}
		for _, item := range genItems.Draw(t, "insertions") {
			items = slices.Insert(items, rapid.IntRange(0, len(items)).Draw(t, "at"), item)
		}
		if n := len(items); n > 0 && rapid.Bool().Draw(t, "one less") {
			items = slices.Delete(items, n/2, n/2+1)
		}
		head = head.Clone()
		for i, item := range items {
			items[i] = bytes.Clone(item)
		}
		var marked []Breakpoint
		if n := len(head.System) + len(items); n > 0 && rapid.Bool().Draw(t, "mark") {
			marked = []Breakpoint{{rapid.IntRange(0, n-1).Draw(t, "place"), []byte(`{"cache_control":null}`)}}
		}
		want := join(Compose(b, head, items, marked, b.Set("stream", []byte("true"))))
		d := b.Detach(head, items)
		d = d.Detach(head, items)
		clear(raw)
		if got := join(Compose(d, head, items, marked, d.Set("stream", []byte("true")))); got != want {
			t.Fatalf("\ngot  %s\nwant %s", got, want)
		}
		checkComposed(t, d, head, slices.Concat(items, genItems.Draw(t, "more")))
	})
}
