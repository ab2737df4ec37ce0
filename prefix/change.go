package prefix

import (
	"bytes"
	"slices"
)

// A HeadChange says what became of a client's head.
type HeadChange struct {
	Cause   Cause    // CauseNone when the head goes up as it was pinned
	Segment string   // where: SegmentModel, SegmentTools, SegmentSystem or SegmentParams
	Name    string   // the tool or field, where it is one
	Repairs []string // Repair… kinds: equal in meaning, sent in the pinned bytes
	Moved   [][]byte // a fork child's own system items, which go into its tail
	Refused []string // tools that a fork child left out, so that calls of them are refused
}

// The kinds of repair.
const (
	RepairToolsReordered     = "tools_reordered"
	RepairToolsReserialised  = "tools_reserialised"
	RepairSystemReserialised = "system_reserialised"
	RepairFieldReserialised  = "field_reserialised"
)

// report keeps the first cause: callers look at the segments in the order in
// which a change does harm.
func (c *HeadChange) report(cause Cause, segment, name string) {
	if c.Cause == CauseNone && cause != CauseNone {
		c.Cause, c.Segment, c.Name = cause, segment, name
	}
}

func (c *HeadChange) repaired(kind string) {
	if !slices.Contains(c.Repairs, kind) {
		c.Repairs = append(c.Repairs, kind)
	}
}

// Diff reports the first segment in which next differs from h, in the order
// model, tools, system, params. Fields are compared by name: their order is not
// rendered.
func (h Head) Diff(next Head) HeadChange {
	c := HeadChange{Cause: CauseNone}
	fields, field := DiffFields(h.Fields, next.Fields)
	if field == "model" {
		c.report(fields, SegmentModel, field)
	}
	if !equalBytes(h.Tools, next.Tools) {
		cause, tool := DiffTools(h.Tools, next.Tools)
		c.report(cause, SegmentTools, tool)
	}
	if !equalBytes(h.System, next.System) {
		cause := CauseSystemChanged
		if slices.EqualFunc(h.System, next.System, sameItem) {
			cause = CauseReserialised
		}
		c.report(cause, SegmentSystem, "")
	}
	c.report(fields, SegmentParams, field)
	return c
}

// DiffFields names the field that differs, model before all others, then next's
// order, then fields that are gone. CauseNone: none differs.
func DiffFields(was, next []Field) (cause Cause, name string) {
	cause = CauseNone
	note := func(c Cause, field string) {
		if field == "model" && c == CauseParamsChanged {
			c = CauseModelChanged
		}
		if cause == CauseNone || field == "model" && name != "model" {
			cause, name = c, field
		}
	}
	at, _ := pair(was, next, Field.key)
	for j, f := range next {
		switch i := at[j]; {
		case i >= 0 && bytes.Equal(was[i].Raw, f.Raw):
		case i >= 0 && SameJSON(was[i].Raw, f.Raw):
			note(CauseReserialised, f.Name)
		default:
			note(CauseParamsChanged, f.Name)
		}
	}
	for _, i := range unpaired(len(was), at) {
		note(CauseParamsChanged, was[i].Name)
	}
	return cause, name
}

// DiffTools classifies two lists, which must not be byte-equal, and names the
// first tool that differs.
func DiffTools(was, next [][]byte) (cause Cause, name string) {
	at := 0
	for at < len(was) && at < len(next) && bytes.Equal(was[at], next[at]) {
		at++
	}
	first := next
	if at == len(next) {
		first = was
	}
	name = toolName(first[at])
	before, after := meanings(was), meanings(next)
	if slices.Equal(before, after) {
		return CauseReserialised, name
	}
	slices.Sort(before)
	slices.Sort(after)
	if slices.Equal(before, after) {
		return CauseToolsReordered, name
	}
	return CauseToolsChanged, name
}

func meanings(values [][]byte) []string {
	out := make([]string, len(values))
	for i, raw := range values {
		out[i] = meaning(raw)
	}
	return out
}
