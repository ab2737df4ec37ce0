package reuse

import (
	"strings"
	"testing"
	"time"

	"trunkline/prefix"
)

// Where a provider's cache can be entered again: at a request's end, behind a
// marker, or behind an answer, as each provider has it.
func TestBoundaryFollowsTheProvidersBreakpoints(t *testing.T) {
	const mark = `,"prompt_cache_breakpoint":{"mode":"explicit"}`
	long := strings.Repeat("word ", 4000)
	part := func(mark string) string {
		return `{"role":"user","content":[{"type":"text","text":"` + long + `"` + mark + `}]}`
	}
	explicit := prefix.Field{Name: "prompt_cache_options", Raw: []byte(`{"mode":"explicit"}`)}
	for _, tt := range []struct {
		name, provider, model string
		fields                []prefix.Field
		marks                 [2]string // on the first request's two items
		entered               int       // items up to which the second request may read; the answer is the third
	}{
		{"a request's end, and not its answer's", "openai", "gpt-5.6", nil, [2]string{}, 2},
		{"a request's end beside an earlier marker", "openai", "gpt-5.6", nil, [2]string{mark, ""}, 2},
		{"only a marker, where the client asks for that", "openai", "gpt-5.6", []prefix.Field{explicit}, [2]string{mark, ""}, 1},
		{"only a marker, where there is nothing else", "anthropic", "claude-sonnet-4-5", nil, [2]string{mark, ""}, 1},
		{"nothing without a marker", "anthropic", "claude-sonnet-4-5", nil, [2]string{}, 0},
		{"an answer's end as well", "deepseek", "m", nil, [2]string{}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Lookup(tt.provider)
			if err != nil {
				t.Fatal(err)
			}
			x, s := NewIndex(IndexConfig{}), Scope{"t", "p", tt.model}
			head := prefix.Head{Fields: tt.fields}
			first := PathOf(p.Render, head, values(part(tt.marks[0]), part(tt.marks[1])))
			x.Add(s, first, Sent{Answered: true}, at0)
			answered := first.Extend(values(answerItem(long)))
			x.Add(s, answered, Sent{Answered: true, Output: true}, at0)
			next := answered.Extend(values(part("")))
			rules := p.For(tt.model)
			got := rules.boundary(next, x.Look(s, next, "", at0.Add(time.Second)))
			if want := next.Bytes(len(tt.fields) + tt.entered); tt.entered == 0 && got != 0 || tt.entered > 0 && got != want {
				t.Errorf("can be entered at byte %d, want %d", got, want)
			}
		})
	}
}

func values(raw ...string) [][]byte {
	out := make([][]byte, len(raw))
	for i, v := range raw {
		out[i] = []byte(v)
	}
	return out
}
