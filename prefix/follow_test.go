package prefix

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func tool(name, note string) string {
	return `{"type":"function","function":{"name":"` + name + `","description":"` + note + `"}}`
}

// sameTool is the tool as another serialiser writes it.
func sameTool(name, note string) string {
	return `{"function": {"description": "` + note + `", "name": "` + name + `"}, "type": "function"}`
}

func TestFollowPutsStandardToolsBehindTheClients(t *testing.T) {
	standard := values(tool("send_message", ""), tool("list_agents", ""))
	seen := Head{Tools: values(tool("pick", ""), tool("scan", ""))}
	first, change := Head{}.Follow(seen, standard, true)
	if want := append(slices.Clone(seen.Tools), standard...); !equalBytes(first.Tools, want) || change.Cause != CauseNone {
		t.Fatalf("first request: %s, %+v", texts(first.Tools), change)
	}
	for _, c := range []struct {
		name string
		seen [][]byte
		want string
	}{
		{"as before", seen.Tools, "pick scan send_message list_agents"},
		{"one more at the end", append(slices.Clone(seen.Tools), []byte(tool("move", ""))), "pick scan send_message list_agents move"},
		{"one less", seen.Tools[:1], "pick send_message list_agents"},
		{"none", nil, "send_message list_agents"},
		{"the client's own of a standard name", values(tool("pick", ""), tool("send_message", "mine")), "pick send_message list_agents"},
	} {
		next, change := first.Follow(Head{Tools: c.seen}, standard, true)
		var names []string
		for _, raw := range next.Tools {
			names = append(names, toolName(raw))
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if (change.Cause == CauseToolsChanged) != (c.name != "as before") {
			t.Errorf("%s: %+v", c.name, change)
		}
		again, change := next.Follow(Head{Tools: c.seen}, standard, true)
		if !again.Equal(next) || change.Cause != CauseNone {
			t.Errorf("%s: the same request moved the head again: %s", c.name, show(again))
		}
	}
}

func TestFollowRepairsWhatMeansTheSame(t *testing.T) {
	pinned := HeadOf(mustSplit(t, `{"model":"m","x":{"a":1,"b":2},"tools":[`+tool("pick", "p")+`,`+tool("scan", "s")+`],
		"messages":[{"role":"system","content":"be brief"}]}`))
	seen := HeadOf(mustSplit(t, `{"x":{"b":2,"a":1},"model":"m","tools":[`+sameTool("scan", "s")+`,`+tool("pick", "p")+`],
		"messages":[{"content":[{"text":"be brief","type":"text"}],"role":"system"}]}`))

	next, change := pinned.Follow(seen, nil, true)
	if !next.Equal(pinned) || change.Cause != CauseNone {
		t.Errorf("got %s, %+v", show(next), change)
	}
	want := []string{RepairToolsReserialised, RepairToolsReordered, RepairSystemReserialised, RepairFieldReserialised}
	if !slices.Equal(change.Repairs, want) {
		t.Errorf("repairs %v, want %v", change.Repairs, want)
	}

	next, change = pinned.Follow(seen, nil, false)
	if !equalBytes(next.Tools, seen.Tools) || !equalBytes(next.System, seen.System) || change.Cause != CauseToolsReordered || change.Repairs != nil {
		t.Errorf("without repair: %s, %+v", show(next), change)
	}
}

func TestFollowNamesWhatChanged(t *testing.T) {
	const was = `{"model":"m","effort":"high","tools":[` + `{"name":"pick"},{"name":"scan"}` + `],"messages":[{"role":"system","content":"s"}]}`
	for _, c := range []struct {
		now     string
		cause   Cause
		segment string
		name    string
	}{
		{was, CauseNone, "", ""},
		{strings.Replace(was, `"m"`, `"m2"`, 1), CauseModelChanged, SegmentModel, "model"},
		{strings.Replace(was, `"high"`, `"low"`, 1), CauseParamsChanged, SegmentParams, "effort"},
		{strings.Replace(was, `"effort":"high",`, ``, 1), CauseParamsChanged, SegmentParams, "effort"},
		{strings.Replace(was, `"effort"`, `"new":null,"effort"`, 1), CauseParamsChanged, SegmentParams, "new"},
		{strings.Replace(was, `"content":"s"`, `"content":"t"`, 1), CauseSystemChanged, SegmentSystem, ""},
		{strings.Replace(was, `"content":"s"`, `"content":"s "`, 1), CauseSystemChanged, SegmentSystem, ""},
		{strings.Replace(was, `"system"`, `"developer"`, 1), CauseSystemChanged, SegmentSystem, ""},
		{strings.Replace(was, `{"name":"scan"}`, `{"name":"scan","x":1}`, 1), CauseToolsChanged, SegmentTools, "scan"},
		{strings.Replace(was, `{"name":"pick"},`, ``, 1), CauseToolsChanged, SegmentTools, "scan"},
		{strings.Replace(was, `,{"name":"scan"}`, ``, 1), CauseToolsChanged, SegmentTools, "scan"},
		{strings.Replace(strings.Replace(was, `"high"`, `"low"`, 1), `"m"`, `"m2"`, 1), CauseModelChanged, SegmentModel, "model"},
		{strings.Replace(was, `"effort"`, `"temperature":1,"effort"`, 1), CauseNone, "", ""},
	} {
		pinned, seen := HeadOf(mustSplit(t, was)), HeadOf(mustSplit(t, c.now))
		next, change := pinned.Follow(seen, nil, true)
		if change.Cause != c.cause || change.Segment != c.segment || change.Name != c.name {
			t.Errorf("%s: %+v, want %s %s %s", c.now, change, c.cause, c.segment, c.name)
		}
		if next.Size() != seen.Size() {
			t.Errorf("%s: not followed: %s", c.now, show(next))
		}
	}
}

func TestFollowKeepsPinnedBytesOfWhatDidNotChange(t *testing.T) {
	pinned := Head{Tools: values(tool("pick", "p"), tool("scan", "s"))}
	seen := Head{Tools: values(sameTool("pick", "p"), tool("scan", "other"))}
	next, change := pinned.Follow(seen, nil, true)
	if !bytes.Equal(next.Tools[0], pinned.Tools[0]) || !bytes.Equal(next.Tools[1], seen.Tools[1]) {
		t.Errorf("got %s", texts(next.Tools))
	}
	if change.Cause != CauseToolsChanged || change.Name != "scan" {
		t.Errorf("%+v", change)
	}
}

var genStandard = rapid.Map(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"send_message", "interrupt_agent", "list_agents", "pick"}), 0, 3, rapid.ID),
	func(names []string) (out [][]byte) {
		for _, name := range names {
			out = append(out, []byte(tool(name, "standard")))
		}
		return out
	})

func sortedMeanings(raw [][]byte) []string {
	out := meanings(raw)
	slices.Sort(out)
	return out
}

func TestFollowInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		standard := genStandard.Draw(t, "standard")
		repair := rapid.Bool().Draw(t, "repair")
		pinned, _ := Head{}.Follow(genHead.Draw(t, "first"), standard, repair)
		for range rapid.IntRange(1, 4).Draw(t, "requests") {
			seen := genHead.Draw(t, "seen")
			before := pinned.Encode()
			next, change := pinned.Follow(seen, standard, repair)
			if !bytes.Equal(pinned.Encode(), before) {
				t.Fatal("the pinned head was written to")
			}

			// Nothing of the client's is lost, added or altered in meaning.
			want := append(slices.Clone(seen.Tools), withoutNames(standard, seen.Tools)...)
			if !slices.Equal(sortedMeanings(next.Tools), sortedMeanings(want)) {
				t.Fatalf("tools %s, want %s", texts(next.Tools), texts(want))
			}
			if !slices.EqualFunc(next.System, seen.System, sameItem) {
				t.Fatalf("system %s, want %s", texts(next.System), texts(seen.System))
			}
			if at, _ := pair(next.Fields, seen.Fields, func(f Field) string { return f.Name + meaning(f.Raw) }); len(next.Fields) != len(seen.Fields) || slices.Contains(at, -1) {
				t.Fatalf("fields %s, want %s", next.Fields, seen.Fields)
			}

			// A cause is named exactly when the upstream bytes differ.
			if (change.Cause == CauseNone) != (pinned.Diff(next).Cause == CauseNone) && !pinned.Equal(Head{}) {
				t.Fatalf("%+v from %s to %s", change, show(pinned), show(next))
			}
			// The same request again changes nothing.
			if again, c := next.Follow(seen, standard, repair); !again.Equal(next) || c.Cause != CauseNone {
				t.Fatalf("again: %s, %+v; want %s", show(again), c, show(next))
			}
			// A reordered request that is otherwise equal is repaired away.
			if shuffled := seen; repair && !next.Equal(Head{}) {
				shuffled.Tools = rapid.Permutation(seen.Tools).Draw(t, "order")
				if again, c := next.Follow(shuffled, standard, true); !again.Equal(next) || c.Cause != CauseNone {
					t.Fatalf("shuffled: %s, %+v; want %s", show(again), c, show(next))
				}
			}
			pinned = next
		}
	})
}
