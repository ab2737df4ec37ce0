package prefix

import (
	"bytes"
	"slices"
)

// Fork returns the head that a fork child sends: its parent's, so that the
// child starts warm, with what its client asks for differently. It depends on
// nothing but the parent's pinned head and the request, and so serves each of
// the child's requests.
//
// Tools that are absent, equal or a subset inherit the whole list; those left
// out are Refused (not the standard ones, whose names standard knows). A tool
// of another name is appended, a same-named different one takes the parent's
// place. Fields that are absent are inherited, others followed or appended;
// only prompt_cache_key is always the parent's when it has one, since it names
// the cache that the child shall find. System items equal to one of the
// parent's are matched, the others are Moved.
func (parent Head) Fork(child Head, standard func(name string) bool) (Head, HeadChange) {
	var found HeadChange
	next := Head{
		Tools:  forkTools(parent.Tools, child.Tools, standard, &found),
		System: parent.System,
		Fields: forkFields(parent.Fields, child.Fields, &found),
	}
	at, by := pair(parent.System, child.System, sameBytes, itemMeaning)
	for j, raw := range child.System {
		if at[j] < 0 {
			found.Moved = append(found.Moved, raw)
		} else if by[j] > 0 {
			found.repaired(RepairSystemReserialised)
		}
	}
	change := parent.Diff(next)
	if len(found.Moved) > 0 {
		change.report(CauseSystemMoved, SegmentSystem, "")
	}
	change.Repairs, change.Moved, change.Refused = found.Repairs, found.Moved, found.Refused
	return next, change
}

func forkTools(parent, child [][]byte, standard func(name string) bool, c *HeadChange) [][]byte {
	if child == nil {
		return parent
	}
	const byName = 2
	at, by := pair(parent, child, sameBytes, meaning, toolName)
	out := slices.Clone(parent)
	last := -1
	for j, i := range at {
		switch {
		case i < 0:
			out = append(out, child[j])
			continue
		case by[j] == byName:
			out[i] = child[j]
		case by[j] > 0:
			c.repaired(RepairToolsReserialised)
		}
		if i < last {
			c.repaired(RepairToolsReordered)
		}
		last = i
	}
	for _, i := range unpaired(len(parent), at) {
		if name := toolName(parent[i]); !standard(name) {
			c.Refused = append(c.Refused, name)
		}
	}
	return out
}

func forkFields(parent, child []Field, c *HeadChange) []Field {
	at, _ := pair(parent, child, Field.key)
	out := slices.Clone(parent)
	for j, f := range child {
		i := at[j]
		switch {
		case i < 0:
			out = append(out, f)
		case f.Name == "prompt_cache_key" || bytes.Equal(parent[i].Raw, f.Raw):
		case SameJSON(parent[i].Raw, f.Raw):
			c.repaired(RepairFieldReserialised)
		default:
			out[i] = f
		}
	}
	return out
}
