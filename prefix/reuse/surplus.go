package reuse

import "trunkline/prefix"

// maxMarkers is how many cache breakpoints a request may have: Anthropic's models refuse
// more (high), and OpenAI's take four with the one that they set themselves (medium).
const maxMarkers = 4

// Surplus returns the items to send without their cache markers, in order of At, so that
// the request has no more than providers take: the oldest of the history. A client moves
// its markers on with the conversation, but what goes up of the earlier items are the bytes
// that went up before, markers included. An entry that was ended at one of them stays where
// it is, and is found from the next marker on.
func (r Rules) Surplus(p Path, head prefix.Head, items [][]byte) []prefix.Breakpoint {
	allowed := maxMarkers
	if r.Implicit && !explicitOnly(head) {
		allowed--
	}
	total, counts := 0, make([]int, len(p.marks)) // markers behind each of p.marks
	for i, at := range p.marks {
		counts[i] = prefix.CountMarkers(p.marked(at, head, items))
		total += counts[i]
	}
	var out []prefix.Breakpoint
	for i, at := range p.marks {
		if n := at - len(p.parts) - 1; n >= 0 && total > allowed && counts[i] > 0 {
			out = append(out, prefix.Breakpoint{At: len(head.System) + n, Raw: prefix.Unmarked(items[n])})
			total -= counts[i]
		}
	}
	return out
}

// marked returns the raw part ahead of a position, of the head and items that p is of.
func (p Path) marked(at int, head prefix.Head, items [][]byte) []byte {
	if n := at - len(p.parts) - 1; n >= 0 {
		return items[n]
	}
	switch part := p.parts[at-1]; part.segment {
	case prefix.SegmentSystem:
		return head.System[part.place]
	case prefix.SegmentTools:
		return head.Tools[part.place]
	default:
		return head.Field(p.head.Fields[part.place].Name)
	}
}
