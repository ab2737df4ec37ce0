package record

import (
	"fmt"
	"io"
	"time"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
)

// An Explanation says where the prompt of one request leaves that of another, and why.
type Explanation struct {
	Cause   string `json:"cause"` // of the one vocabulary that metrics use, too
	Segment string `json:"segment,omitempty"`
	Name    string `json:"name,omitempty"` // tools that came (+), went (-) or changed (~), or the field
	Item    int    `json:"item"`           // index in the segment
	Shared  int64  `json:"shared_bytes"`   // of the rendered prompt, without separators
	Total   int64  `json:"total_bytes"`    // of the second prompt
	Lost    int64  `json:"lost_tokens"`    // an estimate: what the first had cached and the second cannot reuse
	// Avoidable: the second could have said the same without the break.
	Avoidable bool   `json:"avoidable"`
	Advice    string `json:"advice"`
	Point     *Point `json:"point,omitempty"` // in the bodies; nil when the prompts share all of the first
}

// Explain compares two bodies of one kind, as a provider of this profile renders them.
func Explain(provider reuse.Provider, kind prefix.Kind, was, now []byte) (*Explanation, error) {
	a, err := observe(was, kind)
	if err != nil {
		return nil, fmt.Errorf("the first body: %w", err)
	}
	b, err := observe(now, kind)
	if err != nil {
		return nil, fmt.Errorf("the second body: %w", err)
	}
	earlier, later := pathOf(provider, a), pathOf(provider, b)
	// Only the scope is another one when the model changed; the look-up shall still see it.
	scope, at := reuse.Scope{Provider: provider.Name}, time.Unix(0, 0)
	index := reuse.NewIndex(reuse.IndexConfig{})
	index.Add(scope, earlier, reuse.Sent{Lineage: "explained", Answered: true}, at)
	found := index.Look(scope, later, "explained", at)
	broke := reuse.Explain(later, found)
	x := &Explanation{
		Cause: broke.Cause.String(), Segment: broke.Segment, Name: broke.Name, Item: broke.Item,
		Shared: broke.Offset, Total: later.Bytes(later.Len()),
	}
	if broke.Cause != prefix.CauseNone && broke.Cause != prefix.CauseColdStart {
		tokens := found.Calibrate(later)
		x.Lost = max(0, tokens.Guess(min(earlier.Bytes(earlier.Len()), x.Total))-tokens.Guess(x.Shared))
		x.Point = pointOf(a, b, broke)
	}
	x.Avoidable, x.Advice = broke.Avoidable(), advice(broke)
	return x, nil
}

// observe splits a body that is of this kind.
func observe(raw []byte, kind prefix.Kind) (*prefix.Body, error) {
	b, err := prefix.Observe(raw, kind)
	if err != nil {
		return nil, err
	}
	if _, ok := b.Field(listOf(kind)); !ok {
		return nil, fmt.Errorf("it has no %s: it is of another kind", listOf(kind))
	}
	return b, nil
}

func pathOf(p reuse.Provider, b *prefix.Body) reuse.Path {
	var items [][]byte
	for _, item := range b.Items[b.LeadingSystem():] {
		items = append(items, item.Raw)
	}
	return reuse.PathOf(p.Render, prefix.HeadOf(b), items)
}

// pointOf finds the part that broke in both bodies; one may lack it. Offsets are those of
// the second body. nil: no part is at fault, as at a cold start.
func pointOf(a, b *prefix.Body, broke reuse.Break) *Point {
	was, now := partOf(a, broke), partOf(b, broke)
	inner, differ := PointOf(was, now, b.Kind)
	if !differ {
		return nil
	}
	inner.Segment, inner.Name = broke.Segment, broke.Name
	if len(was) == 0 || len(now) == 0 {
		inner.Path = ""
	}
	if inner.Path != "" && inner.Path[0] != '[' {
		inner.Path = "." + inner.Path
	}
	inner.Path = broke.Path() + inner.Path
	if len(was) == 0 {
		inner.Was = absent
	}
	if len(now) == 0 {
		inner.Now, inner.Offset = absent, endOf(b, broke)
	} else {
		inner.Offset += offsetIn(b.Raw, now)
	}
	return &inner
}

// absent stands for the excerpt of a part that one of the bodies lacks.
const absent = "⟨absent⟩"

// endOf returns the offset behind the last part of a segment, where one more would stand.
func endOf(b *prefix.Body, broke reuse.Break) int {
	var parts [][]byte
	switch broke.Segment {
	case prefix.SegmentTools:
		for _, tool := range b.Tools {
			parts = append(parts, tool.Raw)
		}
	case prefix.SegmentSystem, prefix.SegmentHistory:
		items := b.Items
		if broke.Segment == prefix.SegmentSystem {
			items = items[:b.LeadingSystem()]
		}
		for _, item := range items {
			parts = append(parts, item.Raw)
		}
	}
	if len(parts) == 0 {
		return len(b.Raw) - 1 // behind the last member
	}
	last := parts[len(parts)-1]
	return offsetIn(b.Raw, last) + len(last)
}

// partOf returns the part of a body that a break names, nil where it has none.
func partOf(b *prefix.Body, broke reuse.Break) (raw []byte) {
	head := prefix.HeadOf(b)
	i := broke.Item
	switch broke.Segment {
	case prefix.SegmentModel, prefix.SegmentParams:
		raw, _ = b.Field(broke.Name)
		return raw
	case prefix.SegmentTools:
		if i < len(head.Tools) {
			raw = head.Tools[i]
		}
	case prefix.SegmentSystem:
		if i < len(head.System) {
			raw = head.System[i]
		}
	case prefix.SegmentHistory:
		if at := i + b.LeadingSystem(); at < len(b.Items) {
			raw = b.Items[at].Raw
		}
	}
	return raw
}

// offsetIn returns where a part that aliases a body stands in it. Equal parts before it are
// no matter: the first of them is where such a part begins.
func offsetIn(body, part []byte) int {
	for at := 0; at+len(part) <= len(body); at++ {
		if len(part) > 0 && &body[at] == &part[0] {
			return at
		}
	}
	return 0
}

// advice says what a break comes from, and how it is avoided where it can be.
func advice(broke reuse.Break) string {
	switch broke.Cause {
	case prefix.CauseNone:
		return "nothing broke: one request begins with all of the other"
	case prefix.CauseReserialised:
		return "the same meaning in other bytes: keep the bytes that were sent first (an agent's id lets the proxy do that)"
	case prefix.CauseNonce:
		return "a word changes with each request, such as an id: move it behind the history"
	case prefix.CauseToolsReordered:
		return "the same tools in another order: keep the order"
	case prefix.CauseToolsChanged:
		return "send one list of tools to all agents of a tree, and refuse calls instead of leaving tools out"
	case prefix.CauseSystemChanged:
		return "keep one system prompt, and put what is special or changes, such as a clock, behind the history"
	case prefix.CauseHistoryRewritten:
		return "an earlier message says something else: compaction or an edit starts a new prefix"
	case prefix.CauseModelChanged:
		return "another model has another cache"
	case prefix.CauseParamsChanged:
		if broke.Avoidable() {
			return "this field says which cache is looked in: keep it constant within a conversation and its forks"
		}
		return "this field enters the prompt: keep it constant within a conversation"
	case prefix.CauseColdStart:
		if broke.Name != "" {
			return "what comes before is with the provider and not in the request: what it reuses of that cannot be seen here"
		}
		return "the two share nothing that a provider keeps"
	}
	return ""
}

// around shows an excerpt as the piece that it is.
func around(excerpt string) string {
	if excerpt == absent {
		return excerpt
	}
	return "…" + oneLine(excerpt) + "…"
}

// Print writes the explanation for people.
func (x *Explanation) Print(w io.Writer) error {
	fmt.Fprintf(w, "cause      %s\n", x.Cause)
	if x.Segment != "" {
		fmt.Fprintf(w, "segment    %s, item %d\n", x.Segment, x.Item)
	}
	if x.Name != "" {
		fmt.Fprintf(w, "name       %s\n", x.Name)
	}
	fmt.Fprintf(w, "shared     %d of %d bytes of the prompt\n", x.Shared, x.Total)
	if p := x.Point; p != nil {
		fmt.Fprintf(w, "JSON path  %s\noffset     %d, in the second\nfirst      %s\nsecond     %s\n", p.Path, p.Offset, around(p.Was), around(p.Now))
	}
	if x.Cause != string(prefix.CauseNone) && x.Cause != string(prefix.CauseColdStart) {
		avoidable := "no"
		if x.Avoidable {
			avoidable = "yes"
		}
		fmt.Fprintf(w, "lost       about %d tokens\navoidable  %s\n", x.Lost, avoidable)
	}
	_, err := fmt.Fprintf(w, "           %s\n", x.Advice)
	return err
}
