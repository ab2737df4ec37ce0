package reuse

import (
	"slices"

	"trunkline/prefix"
)

// Breakpoints marks where a provider that caches only at breakpoints shall end its
// entries, three places at most and in order of At:
//
//   - the head's end, which every conversation with the same instructions reads;
//   - the end of the last completed turn, where a fork taken now is cut: turn counts the
//     items up to there;
//   - the request's end, which the next step reads, where the provider sets none there by
//     itself.
//
// Each stands in the last item of its range whose text can bear a marker: the system items,
// the completed turns, and what follows them. A range without such an item has none. A
// marker is no part of the prompt, so it may move from one request to the next, and none of
// them is kept with the history.
//
// A client that sets a marker, or says how the request shall be cached, manages its cache
// itself: nothing is added. Providers allow four in one request.
func (r Rules) Breakpoints(p Path, head prefix.Head, items [][]byte, turn int) []prefix.Breakpoint {
	if r.Boundary != BoundaryBreakpoint || r.Marker.Member == "" || len(p.marks) > 0 || cacheManaged(head) {
		return nil
	}
	var out []prefix.Breakpoint
	last := func(list [][]byte, at int) {
		for i, raw := range slices.Backward(list) {
			if marked, ok := r.Marker.In(raw); ok {
				out = append(out, prefix.Breakpoint{At: at + i, Raw: marked})
				return
			}
		}
	}
	last(head.System, 0)
	last(items[:turn], len(head.System))
	if !r.Implicit {
		last(items[turn:], len(head.System)+turn)
	}
	return out
}

// cacheManaged reports a member beside messages that says how to cache the request.
func cacheManaged(h prefix.Head) bool {
	return h.Field("prompt_cache_options") != nil || h.Field("cache_control") != nil
}

// explicitOnly reports that the client has turned off the breakpoint that OpenAI sets by
// itself at a request's end.
func explicitOnly(h prefix.Head) bool {
	options := h.Field("prompt_cache_options")
	members, _ := prefix.Members(options)
	for _, m := range slices.Backward(members) {
		if m.Name == "mode" {
			mode, _ := prefix.Text(m.Value.Of(options))
			return mode == "explicit"
		}
	}
	return false
}

// Marked returns the path with markers in these elements. Their bytes are not counted: the
// request is known as it is without them.
func (p Path) Marked(at []prefix.Breakpoint) Path {
	if len(at) == 0 {
		return p
	}
	p.marks = slices.Clone(p.marks)
	for _, b := range at {
		position := len(p.parts) + b.At - len(p.head.System) + 1
		if b.At < len(p.head.System) {
			position = 1 + slices.IndexFunc(p.parts, func(part headPart) bool {
				return part.segment == prefix.SegmentSystem && part.place == b.At
			})
		}
		p.marks = append(p.marks, position)
	}
	slices.Sort(p.marks)
	return p
}
