package reuse

import (
	"bytes"
	"slices"
	"strings"

	"trunkline/prefix"
)

// A Break says where and why a request leaves what was sent before it.
type Break struct {
	Cause   prefix.Cause
	Segment string // "" when nothing broke or nothing was there to break
	Name    string // the field, or the tools that came (+), went (-) or changed (~); of a cold start, the field that names a prompt elsewhere
	Item    int    // index in the segment of the first part that differs
	Offset  int64  // raw bytes in common on the request's path
	Within  int    // of them, those inside the part that differs; 0 when its earlier bytes are not kept
	Changed int    // bytes of that part after which it is constant again; 0 when they are not known
	Was     string // up to 20 bytes of either side from the difference on; "" when they are not kept
	Now     string
	path    string
}

// Path is where the body that went to the provider has the part that differs, as a JSON path,
// and where the earlier one had it if that has none; "" when nothing broke.
func (b Break) Path() string { return b.path }

// Avoidable reports whether the request could have said the same without the break. Another
// model, another parameter and another history are what its client wants, but for the fields
// that only say which cache is looked in.
func (b Break) Avoidable() bool {
	switch b.Cause {
	case prefix.CauseSystemChanged, prefix.CauseToolsReordered, prefix.CauseToolsChanged, prefix.CauseReserialised, prefix.CauseNonce:
		return true
	case prefix.CauseParamsChanged:
		return b.Name == "prompt_cache_key" || b.Name == "cache_salt"
	}
	return false
}

// Explain names the break between p and what was sent before, as Look found it.
//
// A request that goes on exactly where an earlier one ended, or that branches
// off it with nothing but new input, breaks nothing: the same prompt may be
// answered many times. One that comes back to what followed there is that
// conversation with an item changed. One whose history has nothing in common
// with an earlier one starts cold, even when its head is warm.
func Explain(p Path, s Shared) Break {
	b := p.leaves(s)
	switch b.Segment {
	case "":
	case prefix.SegmentModel, prefix.SegmentParams:
		b.path = b.Name
	default:
		b.path = p.headWith(b, s).At(b.Segment, b.Item)
	}
	return b
}

// headWith is the head that has the part which differs: where a system prompt went, it is
// the earlier one.
func (p Path) headWith(b Break, s Shared) prefix.Head {
	if b.Segment == prefix.SegmentSystem && b.Item >= len(p.head.System) && s.Was != nil {
		return *s.Was
	}
	return p.head
}

// leaves is the break without its path.
func (p Path) leaves(s Shared) Break {
	b := Break{Cause: prefix.CauseNone, Offset: s.Bytes}
	switch {
	case s.Parts >= p.Len():
		return b
	case p.elsewhere != "": // what it goes on from, and what that reuses, cannot be seen
		b.Cause, b.Name = prefix.CauseColdStart, p.elsewhere
		return b
	case s.Parts < len(p.parts), s.Was != nil && !s.Was.Equal(p.head):
		return p.headBreak(b, s)
	}
	b.Item = s.Parts - len(p.parts)
	switch answers := p.answers(b.Item); {
	case s.Rejoins, s.Meaning && answers:
	case s.Extends, s.Answer && (s.Before <= s.Bytes || !answers), b.Item > 0 && p.reply(b.Item) < 0:
		b.Item = 0
		return b
	case !s.Known:
		b.Cause = prefix.CauseColdStart
		return b
	}
	b.Cause, b.Segment = prefix.CauseHistoryRewritten, prefix.SegmentHistory
	if s.Meaning {
		b.Cause = prefix.CauseReserialised
	}
	return b
}

// answers reports whether an answer is among the items from i on: behind another answer
// that was given there, it is one that the client has changed or brought along.
func (p Path) answers(i int) bool {
	for ; i < len(p.items); i++ {
		if prefix.ItemOf(p.item(i)).Role == "assistant" {
			return true
		}
	}
	return false
}

// reply returns the first item from i on that is no input: an answer, a call or a result;
// -1 without one. A request that re-sends such items behind the point where it differs has
// changed what it sent; one that does not has only taken another turn there.
func (p Path) reply(i int) int {
	for ; i < len(p.items); i++ {
		if r := prefix.ItemOf(p.item(i)).Role; r != "user" && r != "system" && r != "developer" {
			return i
		}
	}
	return -1
}

// headBreak explains a path that leaves the earlier one inside its head.
func (p Path) headBreak(b Break, s Shared) Break {
	if s.Was == nil || s.Was.Equal(p.head) {
		b.Cause = prefix.CauseColdStart
		return b
	}
	was, now := *s.Was, p.head
	if cause, field := prefix.DiffFields(was.Fields, now.Fields); field == "model" {
		b.Cause, b.Segment, b.Name, b.Offset = cause, prefix.SegmentModel, field, 0
		return b
	}
	for _, segment := range p.render {
		switch segment {
		case prefix.SegmentParams:
			if cause, field := prefix.DiffFields(was.Fields, now.Fields); field != "" {
				b.Cause, b.Segment, b.Name = cause, segment, field
				b.Item = max(0, slices.IndexFunc(now.Fields, func(f prefix.Field) bool { return f.Name == field }))
				return b
			}
		case prefix.SegmentSystem:
			if !equalBytes(was.System, now.System) {
				return p.within(systemBreak(b, was.System, now.System), s, was.System, now.System)
			}
		case prefix.SegmentTools:
			if !equalBytes(was.Tools, now.Tools) {
				return p.within(toolsBreak(b, was.Tools, now.Tools), s, was.Tools, now.Tools)
			}
		}
	}
	return b
}

// within fills in what two versions of the part that differs have in common, if
// it is the very part at which sharing ends.
func (p Path) within(b Break, s Shared, was, now [][]byte) Break {
	if s.Parts >= len(p.parts) { // the list ended early
		return b
	}
	part := p.parts[s.Parts]
	if part.segment == b.Segment && part.place == b.Item && b.Item < len(was) {
		start, _, end := changedSpan(was[b.Item], now[b.Item])
		b.Within, b.Changed = start, end-start
		b.Offset += int64(start)
		b.Was, b.Now = excerpt(was[b.Item], start), excerpt(now[b.Item], start)
	}
	return b
}

// excerpt returns up to 20 bytes of a part from an offset on, whole characters of them.
func excerpt(part []byte, at int) string {
	return strings.ToValidUTF8(string(part[at:min(len(part), at+20)]), "")
}

func equalBytes(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

func firstDifference(was, now [][]byte) int {
	i := 0
	for i < len(was) && i < len(now) && bytes.Equal(was[i], now[i]) {
		i++
	}
	return i
}

func toolsBreak(b Break, was, now [][]byte) Break {
	b.Segment, b.Item = prefix.SegmentTools, firstDifference(was, now)
	b.Cause, b.Name = prefix.DiffTools(was, now)
	if b.Cause == prefix.CauseToolsChanged {
		b.Name = toolChanges(was, now)
	}
	return b
}

// toolChanges lists which tools came, went or changed, at most eight.
func toolChanges(was, now [][]byte) string {
	before, after := map[string][]byte{}, map[string][]byte{} // name → tool
	for _, raw := range was {
		before[prefix.ToolName(raw)] = raw
	}
	var changes []string
	for _, raw := range now {
		name := prefix.ToolName(raw)
		after[name] = raw
		if old, ok := before[name]; !ok {
			changes = append(changes, "+"+name)
		} else if !prefix.SameJSON(old, raw) {
			changes = append(changes, "~"+name)
		}
	}
	for _, raw := range was {
		if name := prefix.ToolName(raw); after[name] == nil {
			changes = append(changes, "-"+name)
		}
	}
	if len(changes) > 8 {
		changes = append(changes[:8], "…")
	}
	return strings.Join(changes, " ")
}

func systemBreak(b Break, was, now [][]byte) Break {
	b.Segment, b.Item, b.Cause = prefix.SegmentSystem, firstDifference(was, now), prefix.CauseSystemChanged
	i := b.Item
	switch {
	case i >= len(was) || i >= len(now):
	case slices.EqualFunc(was, now, prefix.SameJSON):
		b.Cause = prefix.CauseReserialised
	case equalBytes(was[i+1:], now[i+1:]) && isNonce(was[i], now[i]):
		b.Cause = prefix.CauseNonce
	}
	return b
}
