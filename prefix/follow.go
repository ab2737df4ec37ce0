package prefix

import (
	"bytes"
	"math"
	"slices"
)

// Follow returns the head to send now for a client whose head was pinned
// earlier and who sends seen, and what changed upstream by it.
//
// With repair, what means the same goes up in the pinned bytes: tools that are
// equal as JSON, also in another order, system items of the same text, fields
// of the same value. Everything else that the client changed is followed, and
// reported as the difference between the pinned head and the one returned; the
// parts that did not change keep their pinned bytes.
//
// standard are the proxy's own tools in the bytes pinned for this agent. They
// stand behind as many of the client's tools as when they were pinned, so a
// client's new tool at the end of its list comes after them and disturbs
// nothing; those not pinned yet go last. A client's tool of the same name takes
// their place. A zero pinned head is a first request: nothing changed.
func (pinned Head) Follow(seen Head, standard [][]byte, repair bool) (Head, HeadChange) {
	var repairs HeadChange
	next := Head{
		Tools:  followTools(pinned.Tools, seen.Tools, standard, repair, &repairs),
		System: followSystem(pinned.System, seen.System, repair, &repairs),
		Fields: followFields(pinned.Fields, seen.Fields, repair, &repairs),
	}
	if pinned.Equal(Head{}) {
		return next, HeadChange{Cause: CauseNone}
	}
	change := pinned.Diff(next)
	change.Repairs = repairs.Repairs
	return next, change
}

func followTools(pinned, seen, standard [][]byte, repair bool, c *HeadChange) [][]byte {
	standard = withoutNames(standard, seen)
	at, _ := pair(pinned, standard, sameBytes)
	var own [][]byte
	before := make([]int, len(standard)) // of the client's own tools that stand before each
	for j := range before {
		before[j] = math.MaxInt
	}
	for i, raw := range pinned {
		if j := slices.Index(at, i); j >= 0 {
			before[j] = len(own)
		} else {
			own = append(own, raw)
		}
	}
	tools := seen
	if repair && !equalBytes(own, seen) {
		tools = repairTools(own, seen, c)
	}
	if len(standard) == 0 {
		return tools
	}
	return place(tools, standard, before)
}

// repairTools returns the tools seen in the bytes of own where they mean the
// same, and in own's order when they are just those.
func repairTools(own, seen [][]byte, c *HeadChange) [][]byte {
	at, by := pair(own, seen, sameBytes, meaning)
	out := slices.Clone(seen)
	for j, i := range at {
		if i >= 0 && by[j] > 0 {
			out[j] = own[i]
			c.repaired(RepairToolsReserialised)
		}
	}
	if len(own) == len(seen) && !slices.Contains(at, -1) {
		if !slices.IsSorted(at) {
			c.repaired(RepairToolsReordered)
		}
		return own
	}
	return out
}

// place puts each of standard behind as many tools as before says, or behind
// all of them where there are fewer.
func place(tools, standard [][]byte, before []int) [][]byte {
	order := make([]int, len(standard))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return min(before[x], len(tools)) - min(before[y], len(tools))
	})
	out := make([][]byte, 0, len(tools)+len(standard))
	k := 0
	for _, j := range order {
		until := min(before[j], len(tools))
		out = append(append(out, tools[k:until]...), standard[j])
		k = until
	}
	return append(out, tools[k:]...)
}

// withoutNames drops the standard tools whose name the client uses itself.
func withoutNames(standard, seen [][]byte) [][]byte {
	if len(standard) == 0 {
		return nil
	}
	used := make(map[string]bool, len(seen)) // tool name → the client has one
	for _, raw := range seen {
		used[toolName(raw)] = true
	}
	return slices.DeleteFunc(slices.Clone(standard), func(raw []byte) bool { return used[toolName(raw)] })
}

func toolName(raw []byte) string {
	b := Body{Raw: raw}
	b.scanTool(skipSpace(raw, 0)) // an error leaves what was read so far: no name
	return b.Tools[0].Name
}

func followSystem(pinned, seen [][]byte, repair bool, c *HeadChange) [][]byte {
	if !repair || equalBytes(pinned, seen) {
		return seen
	}
	out := slices.Clone(seen)
	for i := range min(len(pinned), len(seen)) {
		if !bytes.Equal(pinned[i], seen[i]) && sameItem(pinned[i], seen[i]) {
			out[i] = pinned[i]
			c.repaired(RepairSystemReserialised)
		}
	}
	return out
}

// followFields keeps the pinned order, which costs nothing, since a provider
// does not render the order of top-level members.
func followFields(pinned, seen []Field, repair bool, c *HeadChange) []Field {
	at, _ := pair(pinned, seen, Field.key)
	out := make([]Field, 0, len(seen))
	order := make([]int, len(seen))
	for j := range order {
		order[j] = j
	}
	rank := func(j int) int {
		if at[j] < 0 {
			return len(pinned) + j
		}
		return at[j]
	}
	slices.SortFunc(order, func(x, y int) int { return rank(x) - rank(y) })
	for _, j := range order {
		f := seen[j]
		if i := at[j]; i >= 0 && repair && !bytes.Equal(pinned[i].Raw, f.Raw) && SameJSON(pinned[i].Raw, f.Raw) {
			f = pinned[i]
			c.repaired(RepairFieldReserialised)
		}
		out = append(out, f)
	}
	return out
}
