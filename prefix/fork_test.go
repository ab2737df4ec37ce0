package prefix

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func isStandard(name string) bool { return strings.HasSuffix(name, "_message") }

func TestForkInheritsTheParentsHead(t *testing.T) {
	parent := HeadOf(mustSplit(t, `{"model":"m","effort":"high","prompt_cache_key":"root","tools":[`+tool("pick", "")+`,`+tool("scan", "")+`,`+tool("send_message", "")+`],
		"messages":[{"role":"system","content":"a"},{"role":"developer","content":"b"}]}`))
	pick, scan, move := tool("pick", ""), tool("scan", ""), tool("move", "")
	for _, c := range []struct {
		name, child string
		same        bool
		cause       Cause
		segment     string
		what        string
		repairs     []string
		refused     []string
		moved       int
		tools       string
	}{
		{name: "only a task", child: `{"messages":[{"role":"user","content":"task"}]}`, same: true, cause: CauseNone},
		{name: "the same", child: `{"model":"m","effort":"high","tools":[` + pick + `,` + scan + `],"messages":[{"role":"system","content":"a"}]}`, same: true, cause: CauseNone},
		{name: "its own cache key", child: `{"prompt_cache_key":"child"}`, same: true, cause: CauseNone},
		{name: "fewer tools", child: `{"tools":[` + scan + `]}`, same: true, cause: CauseNone, refused: []string{"pick"}},
		{name: "an empty list of tools", child: `{"tools":[]}`, same: true, cause: CauseNone, refused: []string{"pick", "scan"}},
		{name: "tools in other JSON and order", child: `{"tools":[` + sameTool("scan", "") + `,` + pick + `]}`, same: true, cause: CauseNone, repairs: []string{RepairToolsReserialised, RepairToolsReordered}},
		{name: "a tool more", child: `{"tools":[` + move + `,` + pick + `,` + scan + `]}`, cause: CauseToolsChanged, segment: SegmentTools, what: "move", tools: "pick scan send_message move"},
		{name: "a tool of the same name", child: `{"tools":[` + tool("pick", "mine") + `]}`, cause: CauseToolsChanged, segment: SegmentTools, what: "pick", refused: []string{"scan"}, tools: "pick scan send_message"},
		{name: "another model", child: `{"model":"small"}`, cause: CauseModelChanged, segment: SegmentModel, what: "model"},
		{name: "another effort", child: `{"effort":"low"}`, cause: CauseParamsChanged, segment: SegmentParams, what: "effort"},
		{name: "a field more", child: `{"response_format":{"type":"json_object"}}`, cause: CauseParamsChanged, segment: SegmentParams, what: "response_format"},
		{name: "a system text of its own", child: `{"messages":[{"role":"system","content":"mine"},{"role":"system","content":"a"}]}`, same: true, cause: CauseSystemMoved, segment: SegmentSystem, moved: 1},
		{name: "a system text in other JSON", child: `{"messages":[{"content":[{"type":"text","text":"b"}],"role":"developer"}]}`, same: true, cause: CauseNone, repairs: []string{RepairSystemReserialised}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := parent.Encode()
			next, change := parent.Fork(HeadOf(mustSplit(t, c.child)), isStandard)
			if !bytes.Equal(parent.Encode(), before) {
				t.Fatal("the parent's head was written to")
			}
			if next.Equal(parent) != c.same || !equalBytes(next.System, parent.System) {
				t.Errorf("head %s", show(next))
			}
			if change.Cause != c.cause || change.Segment != c.segment || change.Name != c.what || len(change.Moved) != c.moved ||
				!slices.Equal(change.Repairs, c.repairs) || !slices.Equal(change.Refused, c.refused) {
				t.Errorf("%+v", change)
			}
			var names []string
			for _, raw := range next.Tools {
				names = append(names, toolName(raw))
			}
			if got := strings.Join(names, " "); c.tools != "" && got != c.tools {
				t.Errorf("tools %s, want %s", got, c.tools)
			}
		})
	}
}

func TestForkKeepsTheChildsCacheKeyWhereTheRootHasNone(t *testing.T) {
	next, change := Head{}.Fork(HeadOf(mustSplit(t, `{"prompt_cache_key":"child"}`)), isStandard)
	if len(next.Fields) != 1 || change.Cause != CauseParamsChanged || change.Name != "prompt_cache_key" {
		t.Errorf("%s %+v", show(next), change)
	}
}

func TestForkInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parent, child := genHead.Draw(t, "parent"), genHead.Draw(t, "child")
		before := parent.Encode()
		next, change := parent.Fork(child, isStandard)
		if !bytes.Equal(parent.Encode(), before) {
			t.Fatal("the parent's head was written to")
		}

		// The parent's order stands: each of its tools is there, or replaced in
		// place by one of the same name.
		if len(next.Tools) < len(parent.Tools) || len(next.Fields) < len(parent.Fields) {
			t.Fatalf("%s lost something of %s", show(next), show(parent))
		}
		for i, raw := range parent.Tools {
			if toolName(next.Tools[i]) != toolName(raw) {
				t.Fatalf("tool %d of %s is not in its place in %s", i, show(parent), show(next))
			}
		}
		// What the client asks for is all there.
		if at, _ := pair(next.Tools, child.Tools, meaning); slices.Contains(at, -1) {
			t.Fatalf("%s lacks a tool of %s", show(next), show(child))
		}
		for _, f := range child.Fields {
			i := slices.IndexFunc(next.Fields, func(g Field) bool { return g.Name == f.Name })
			inherited := f.Name == "prompt_cache_key" && slices.ContainsFunc(parent.Fields, func(g Field) bool { return g.Name == f.Name })
			if !inherited && !SameJSON(next.Fields[i].Raw, f.Raw) {
				t.Fatalf("%s lacks field %s of %s", show(next), f.Name, show(child))
			}
		}
		if !equalBytes(next.System, parent.System) {
			t.Fatalf("system %s, want the parent's %s", show(next), show(parent))
		}
		if child.Tools == nil && len(change.Refused) > 0 {
			t.Fatalf("no list of tools, but refused %v", change.Refused)
		}
		if (change.Cause == CauseNone || change.Cause == CauseSystemMoved) != next.Equal(parent) {
			t.Fatalf("%+v from %s to %s", change, show(parent), show(next))
		}
		// The same request again, and a child that asks for nothing, get the same.
		if again, _ := parent.Fork(child, isStandard); !again.Equal(next) {
			t.Fatalf("again: %s, want %s", show(again), show(next))
		}
		if same, c := next.Fork(Head{}, isStandard); !same.Equal(next) || c.Cause != CauseNone {
			t.Fatalf("nothing asked for: %s, %+v", show(same), c)
		}
	})
}

func TestForkOfASubsetIsByteEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parent := genHead.Draw(t, "parent")
		child := Head{Tools: [][]byte{}}
		for _, raw := range rapid.Permutation(parent.Tools).Draw(t, "order") {
			if rapid.Bool().Draw(t, "kept") {
				child.Tools = append(child.Tools, raw)
			}
		}
		for _, raw := range parent.System {
			if rapid.Bool().Draw(t, "kept") {
				child.System = append(child.System, raw)
			}
		}
		for _, f := range parent.Fields {
			if rapid.Bool().Draw(t, "kept") {
				child.Fields = append(child.Fields, f)
			}
		}
		next, change := parent.Fork(child, isStandard)
		if !next.Equal(parent) || change.Cause != CauseNone || len(change.Moved) > 0 {
			t.Fatalf("%s, %+v; want %s", show(next), change, show(parent))
		}
		if len(change.Refused)+len(child.Tools) != len(parent.Tools) {
			t.Fatalf("refused %v of %s", change.Refused, show(parent))
		}
	})
}
