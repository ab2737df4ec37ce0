package reuse

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trunkline/prefix"
)

// rulesFor returns the rules of a known provider for a model.
func rulesFor(t interface{ Fatal(...any) }, provider, model string) (Rules, []string) {
	p, err := Lookup(provider)
	if err != nil {
		t.Fatal(err)
	}
	return p.For(model), p.Render
}

// places returns where a request gets markers: its head, its items, and how many of these
// are of completed turns.
func places(r Rules, render []string, head prefix.Head, items [][]byte, turn int) []int {
	var at []int
	for _, b := range r.Breakpoints(PathOf(render, head, items), head, items, turn) {
		at = append(at, b.At)
	}
	return at
}

func TestBreakpointsStandAtHeadForkPointAndEnd(t *testing.T) {
	const (
		system = `{"role":"system","content":"s"}`
		user   = `{"role":"user","content":"u"}`
		said   = `{"role":"assistant","content":"a"}`
		call   = `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		result = `{"role":"tool","tool_call_id":"1","content":"r"}`
		image  = `{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}`
	)
	claude, sonnet := "openrouter", "anthropic/claude-sonnet-4.5"
	for _, c := range []struct {
		name, provider, model string
		system, items         []string
		turn                  int
		want                  []int
	}{
		{"first request", claude, sonnet, []string{system, system}, []string{user}, 0, []int{1, 2}},
		{"no instructions", claude, sonnet, nil, []string{user}, 0, []int{0}},
		{"second turn", claude, sonnet, []string{system}, []string{user, said, user}, 2, []int{0, 2, 3}},
		{"calls at the end of a step", claude, sonnet, []string{system}, []string{user, said, user, call, result}, 2, []int{0, 2, 5}},
		{"an answer that cannot bear one", "openai", "gpt-5.6", []string{system}, []string{user, call, result, said, user}, 4, []int{0, 3}},
		{"results that cannot bear one", "anthropic", "claude-sonnet-4-5", []string{system}, []string{user, said, user, call, result}, 2, []int{0, 2, 3}},
		{"nothing in a turn that can", "openai", "gpt-5.6", nil, []string{image, said, image}, 2, nil},
		{"ends in the last completed turn", claude, sonnet, []string{system}, []string{user, said}, 2, []int{0, 2}},
		{"an older family", "openai", "gpt-5.5", []string{system}, []string{user}, 0, nil},
		{"a provider of blocks", "vllm", "m", []string{system}, []string{user}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, render := rulesFor(t, c.provider, c.model)
			if got := places(rules, render, prefix.Head{System: values(c.system...)}, values(c.items...), c.turn); !slices.Equal(got, c.want) {
				t.Errorf("markers at %v, want %v", got, c.want)
			}
		})
	}
}

// A client that manages its cache keeps its markers for itself, wherever it sets them.
func TestBreakpointsLeaveAManagedCacheAlone(t *testing.T) {
	rules, render := rulesFor(t, "openrouter", "anthropic/claude-sonnet-4.5")
	const mark = `"cache_control":{"type":"ephemeral"}`
	item := `{"role":"user","content":[{"type":"text","text":"u",` + mark + `}]}`
	plain := values(`{"role":"user","content":"u"}`)
	for name, c := range map[string]struct {
		head  prefix.Head
		items [][]byte
	}{
		"in an item":            {prefix.Head{}, append(values(item), plain...)},
		"in the instructions":   {prefix.Head{System: values(strings.Replace(item, "user", "system", 1))}, plain},
		"in a tool":             {prefix.Head{Tools: values(`{"type":"function","function":{"name":"f"},` + mark + `}`)}, plain},
		"beside the messages":   {prefix.Head{Fields: []prefix.Field{{Name: "cache_control", Raw: []byte(`{"type":"ephemeral"}`)}}}, plain},
		"by the cache's policy": {prefix.Head{Fields: []prefix.Field{{Name: "prompt_cache_options", Raw: []byte(`{"mode":"explicit"}`)}}}, plain},
	} {
		if got := places(rules, render, c.head, c.items, 0); got != nil {
			t.Errorf("%s: markers at %v", name, got)
		}
	}
	speaks := values(`{"role":"user","content":"{\"cache_control\":{\"type\":\"ephemeral\"}}"}`)
	if got := places(rules, render, prefix.Head{}, speaks, 0); len(got) != 1 {
		t.Errorf("a text that speaks of markers: markers at %v", got)
	}
}

// The elements marked are the request's own, but for the markers and for strings that became
// one text part, and all that the path knows of them is where they stand.
func TestBreakpointsChangeNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, render := rulesFor(t, "openrouter", "anthropic/claude-sonnet-4.5")
		head := prefix.Head{System: values(rapid.SliceOfN(genInstruction, 0, 3).Draw(t, "system")...)}
		items := values(rapid.SliceOfN(genElement, 0, 6).Draw(t, "items")...)
		path := PathOf(render, head, items)
		marked := rules.Breakpoints(path, head, items, rapid.IntRange(0, len(items)).Draw(t, "turn"))
		if len(marked) > 3 || !slices.IsSortedFunc(marked, func(a, b prefix.Breakpoint) int { return a.At - b.At }) {
			t.Fatalf("marked %v", marked)
		}
		elements := slices.Concat(head.System, items)
		for _, m := range marked {
			clean, was := prefix.Unmarked(m.Raw), elements[m.At]
			if len(clean) == len(m.Raw) || !bytes.Equal(clean, was) && !bytes.Equal(prefix.Plain(clean), was) {
				t.Fatalf("%s became %s", was, m.Raw)
			}
		}
		if at := path.Marked(marked); at.Bytes(at.Len()) != path.Bytes(path.Len()) || len(at.marks) != len(marked) {
			t.Fatalf("the path with markers at %v has %d bytes, without %d", at.marks, at.Bytes(at.Len()), path.Bytes(path.Len()))
		}
	})
}

var genInstruction = rapid.SampledFrom([]string{
	`{"role":"system","content":"one"}`,
	`{"role":"developer", "content" : [{"type":"text","text":"two"} ]}`,
	`{"role":"system","content":""}`,
})

// genElement draws elements with texts to mark, and some without.
var genElement = rapid.SampledFrom([]string{
	`{"role":"user","content":"a text"}`,
	`{"role":"assistant","content": "an answer" ,"tool_calls":[{"id":"1"}]}`,
	`{ "role":"tool","tool_call_id":"1","content":[ {"type":"text","text":"one"}, {"type":"text","text":"two" } ] }`,
	`{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}`,
	`{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}`,
	`null`, `7`,
})

func TestMarkedPathMarksTheRenderedPlaces(t *testing.T) {
	for _, render := range [][]string{simRender, {prefix.SegmentTools, prefix.SegmentSystem, prefix.SegmentParams, prefix.SegmentHistory}} {
		head := prefix.Head{
			System: values(`{"role":"system","content":"one"}`, `{"role":"system","content":"two"}`),
			Tools:  values(bareTool("a"), bareTool("b")), Fields: []prefix.Field{{Name: "model", Raw: []byte(`"m"`)}},
		}
		items := values(`{"role":"user","content":"u"}`, `{"role":"assistant","content":"a"}`, `{"role":"user","content":"v"}`)
		p := PathOf(render, head, items).Marked([]prefix.Breakpoint{{At: 1}, {At: 3}, {At: 4}})
		system := slices.IndexFunc(p.parts, func(part headPart) bool { return part.segment == prefix.SegmentSystem && part.place == 1 }) + 1
		if want := []int{system, 7, 8}; !slices.Equal(p.marks, want) {
			t.Errorf("%v: marked at %v, want %v", render, p.marks, want)
		}
	}
}
