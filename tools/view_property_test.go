package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scriptCall is a call as a model makes it.
type scriptCall struct{ id, name, args string }

// A script is what one step says, and the events in which it says it.
type script struct {
	text   string
	calls  []scriptCall
	events []string
}

// drawScript draws a step. Without foreign, all its calls are the proxy's.
func drawScript(t *rapid.T, step int, foreign bool) script {
	var s script
	names := []string{SendMessage, ListAgents}
	if foreign {
		names = append(names, "pick", "scan", "send_message2")
	}
	chunk := func(delta, finish string) {
		s.events = append(s.events, ev(strings.Replace(chunkOf(delta, finish), `"x1"`, fmt.Sprintf(`"x%d"`, step), 1)))
	}
	if rapid.Bool().Draw(t, "role") {
		chunk(`{"role":"assistant","content":""}`, "")
	}
	say := func() {
		for _, piece := range rapid.SliceOfN(rapid.StringMatching(`[a-c"<é\n]{0,3}`), 0, 2).Draw(t, "text") {
			s.text += piece
			chunk(`{"content":`+string(quote(piece))+`}`, "")
		}
		if rapid.IntRange(0, 4).Draw(t, "comment") == 0 {
			s.events = append(s.events, ": ping\n\n")
		}
	}
	say()
	var entries []string // fragments, in an order in which each call's own order is kept
	for i := range rapid.IntRange(0, 4).Draw(t, "calls") {
		c := scriptCall{rapid.SampledFrom([]string{"f:0", fmt.Sprintf("c%d", i)}).Draw(t, "id"), rapid.SampledFrom(names).Draw(t, "name"), ""}
		index := fmt.Sprint(i)
		late := rapid.Bool().Draw(t, "late name")
		first, then := c.name, "-"
		if late {
			first, then = "-", c.name
		}
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{`{`, `}`, `"`, `x`, `é`, ``}), 1, 4).Draw(t, "arguments")
		for k, p := range pieces {
			name := "-"
			switch k {
			case 0:
				name = first
			case 1:
				name = then
			}
			id := "-"
			if k == 0 {
				id = c.id
			}
			entries = append(entries, tc(index, id, name, p))
			c.args += p
		}
		if late && len(pieces) == 1 {
			entries = append(entries, tc(index, "-", then, ""))
		}
		s.calls = append(s.calls, c)
	}
	for len(entries) > 0 {
		n := rapid.IntRange(1, min(3, len(entries))).Draw(t, "entries in a delta")
		chunk(callsDelta(entries[:n]...), "")
		entries = entries[n:]
		say()
	}
	finish := "stop"
	if len(s.calls) > 0 && rapid.Bool().Draw(t, "finish") {
		finish = "tool_calls"
	}
	last := rapid.StringMatching(`[a-c]{0,2}`).Draw(t, "last text")
	s.text += last
	chunk(`{"content":`+string(quote(last))+`}`, finish)
	if rapid.Bool().Draw(t, "usage") {
		s.events = append(s.events, ev(usageOf(fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":1,"total_tokens":%d}`, step, step+1))))
	}
	s.events = append(s.events, doneEvent)
	return s
}

// Whatever steps an answer is made of, a naive client reads one answer: all
// the text, the client's calls only, one id, one role, one finish.
func TestViewIsOneAnswer(t *testing.T) {
	rapid.Check(t, checkView)
}

func FuzzView(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkView)) }

func checkView(t *rapid.T) {
	v := NewView(ViewConfig{Own: ours})
	steps := rapid.IntRange(1, 4).Draw(t, "steps")
	var in, out, text strings.Builder
	var calls []scriptCall
	own, completions, reported := 0, 0, false
	for step := 1; step <= steps; step++ {
		s := drawScript(t, step, step == steps)
		text.WriteString(s.text)
		calls, own = nil, 0
		for _, c := range s.calls {
			if ours(c.name) {
				own++
			} else {
				calls = append(calls, c)
			}
		}
		in.WriteString(strings.Join(s.events, ""))
		out.WriteString(feed(v, s.events...))
		if got := v.Answer().Text(); got != s.text {
			t.Fatalf("step %d says %q, want %q", step, got, s.text)
		}
		for i, c := range v.Answer().Calls() {
			if c.Name != s.calls[i].name || c.Arguments != s.calls[i].args || c.ID != s.calls[i].id {
				t.Fatalf("step %d call %d: %+v, want %+v", step, i, c, s.calls[i])
			}
		}
		if reported = v.Answer().Usage != nil; reported {
			completions++
		}
		out.Write(v.End(step == steps))
	}
	if steps == 1 && own == 0 {
		strip := strings.NewReplacer(": ping\n\n", "").Replace // these do not wait
		if strip(out.String()) != strip(in.String()) {
			t.Fatalf("changed:\n%s\n%s", in.String(), out.String())
		}
	}
	c := read(t, out.String())
	if c.Text != text.String() {
		t.Fatalf("text %q, want %q", c.Text, text.String())
	}
	if len(c.Calls) != len(calls) {
		t.Fatalf("calls %+v, want %+v", c.Calls, calls)
	}
	for i, call := range c.Calls {
		if call.ID != calls[i].id || call.Name != calls[i].name || call.Args != calls[i].args {
			t.Fatalf("call %d: %+v, want %+v", i, call, calls[i])
		}
	}
	if len(slices.Compact(c.IDs)) != 1 || c.Roles > 1 || len(c.Finishes) != 1 || !c.Done {
		t.Fatalf("not one answer: %+v", c)
	}
	if own > 0 {
		want := "stop"
		if len(calls) > 0 {
			want = "tool_calls"
		}
		if c.Finishes[0] != want {
			t.Fatalf("finish %q, want %q", c.Finishes[0], want)
		}
	}
	if reported && (len(c.Usages) != 1 || c.Usages[0]["completion_tokens"] != float64(completions)) {
		t.Fatalf("usages %v, want %d completions", c.Usages, completions)
	}
}
