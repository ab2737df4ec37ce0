package reuse

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trunkline/prefix"
)

func TestExpected(t *testing.T) {
	for _, tt := range []struct {
		name, provider, model string
		basis                 Basis
		tokens                int64
		cut                   prefix.Cause
	}{
		{"openai counts in steps", "openai", "gpt-5", Basis{Prompt: 3000, Shared: 2000, Warm: 2000}, 1920, prefix.CauseNone},
		{"openai at its minimum", "openai", "gpt-5", Basis{Prompt: 3000, Shared: 1024, Warm: 1024}, 1024, prefix.CauseNone},
		{"openai below it", "openai", "gpt-5", Basis{Prompt: 3000, Shared: 1023, Warm: 1023}, 0, prefix.CauseBelowMinimum},
		{"openai after a break", "openai", "gpt-5", Basis{Prompt: 3000, Shared: 2000, Warm: 2000, Age: 6 * time.Minute}, 0, prefix.CauseTTLExpiry},
		{"openai within its lifetime", "openai", "gpt-5", Basis{Prompt: 3000, Shared: 2000, Warm: 2000, Age: 5 * time.Minute}, 1920, prefix.CauseNone},
		{"still in flight", "openai", "gpt-5", Basis{Prompt: 9000, Shared: 8192, Warm: 2048}, 2048, prefix.CauseColdStart},
		{"nothing answered yet", "sim", "", Basis{Prompt: 9000, Shared: 8192}, 0, prefix.CauseColdStart},
		{"breakpoint at the end of the last request", "openai", "gpt-5.6", Basis{Prompt: 9000, Shared: 8000, Warm: 8000, Boundary: 8000}, 8000, prefix.CauseNone},
		{"breakpoint further back", "openai", "gpt-5.6", Basis{Prompt: 9000, Shared: 8000, Warm: 8000, Boundary: 2000}, 2000, prefix.CauseNoBoundary},
		{"no breakpoint", "anthropic", "claude-sonnet-4-5", Basis{Prompt: 9000, Shared: 8000, Warm: 8000}, 0, prefix.CauseNoBoundary},
		{"breakpoint ahead of the minimum", "anthropic", "claude-haiku-4-5", Basis{Prompt: 9000, Shared: 8000, Warm: 8000, Boundary: 4000}, 0, prefix.CauseNoBoundary},
		{"deepseek, whole units", "deepseek", "", Basis{Prompt: 9000, Shared: 8000, Warm: 8000, Boundary: 5000}, 4992, prefix.CauseNoBoundary},
		{"vllm, the same prompt again", "vllm", "", Basis{Prompt: 1600, Shared: 1600, Warm: 1600}, 1584, prefix.CauseNone},
		{"vllm, by block", "vllm", "", Basis{Prompt: 1600, Shared: 1001, Warm: 1001, Age: 1000 * time.Hour}, 992, prefix.CauseNone},
		{"llama.cpp, by token", "llamacpp", "", Basis{Prompt: 8404, Shared: 8336, Warm: 8336}, 8336, prefix.CauseNone},
		{"nothing shared", "openai", "", Basis{Prompt: 3000}, 0, prefix.CauseNone},
		{"prompt unknown", "sglang", "", Basis{Shared: 77, Warm: 77}, 77, prefix.CauseNone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Lookup(tt.provider)
			if err != nil {
				t.Fatal(err)
			}
			if tokens, cut := p.For(tt.model).Expected(tt.basis); tokens != tt.tokens || cut != tt.cut {
				t.Errorf("%d, %s; want %d, %s", tokens, cut, tt.tokens, tt.cut)
			}
		})
	}
}

func TestExpectedIsPartOfWhatIsShared(t *testing.T) {
	all := Providers()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 20_000)
		b := Basis{Prompt: n.Draw(t, "prompt"), Shared: n.Draw(t, "shared"), Age: time.Duration(rapid.IntRange(0, 100).Draw(t, "age")) * time.Minute}
		b.Warm = min(b.Shared, n.Draw(t, "warm"))
		b.Boundary = min(b.Shared, n.Draw(t, "boundary"))
		p := rapid.SampledFrom(all).Draw(t, "provider")
		tokens, cut := p.Expected(b)
		if tokens < 0 || tokens > b.Shared || tokens > b.Warm || b.Prompt > 0 && tokens >= b.Prompt {
			t.Fatalf("%s: %+v: %d, %s", p.Name, b, tokens, cut)
		}
		if tokens > 0 && (tokens < p.Minimum || tokens%p.Granularity != 0) {
			t.Fatalf("%s: %+v: %d cannot be reported", p.Name, b, tokens)
		}
		if cut == "" || cut == prefix.CauseNone && b.Shared-tokens > p.slack(b.Shared)+1 && tokens < b.Prompt-1-p.Granularity {
			t.Fatalf("%s: %+v: %d of them, and no cause", p.Name, b, tokens)
		}
	})
}

// Cases 18 and 19: our figure and the provider's stand side by side.
func TestAccountNamesTheLoss(t *testing.T) {
	openai, _ := Lookup("openai")
	rules := openai.For("gpt-5")
	text := strings.Repeat("word ", 8000) // 40,000 bytes
	s := Scope{"t", "p", "m"}
	first := pathOf("sys", text)
	next := first.Extend([][]byte{[]byte(answerItem("a")), []byte(userItem("u"))})
	usage := func(cached prefix.Count) prefix.Usage {
		return prefix.Usage{Prompt: prefix.Tokens(10_010), Cached: cached}
	}

	for _, tt := range []struct {
		name   string
		sent   Sent
		later  time.Duration
		usage  prefix.Usage
		cause  prefix.Cause
		lost   int64
		expect int64
	}{
		{"hit", Sent{Answered: true, Tokens: prefix.Tokens(10_000)}, time.Minute, usage(prefix.Tokens(9984)), prefix.CauseNone, 0, 9984},
		{"hit one step short", Sent{Answered: true, Tokens: prefix.Tokens(10_000)}, time.Minute, usage(prefix.Tokens(9856)), prefix.CauseNone, 0, 9984},
		{"warm, and missed", Sent{Answered: true, Tokens: prefix.Tokens(10_000)}, time.Minute, usage(prefix.Tokens(0)), prefix.CauseRouting, 9984, 9984},
		{"warm, and missed in part", Sent{Answered: true, Tokens: prefix.Tokens(10_000)}, time.Minute, usage(prefix.Tokens(1024)), prefix.CauseRouting, 8960, 9984},
		{"too late", Sent{Answered: true, Tokens: prefix.Tokens(10_000)}, time.Hour, usage(prefix.Tokens(0)), prefix.CauseTTLExpiry, 10_000, 0},
		{"too late, and kept", Sent{Answered: true, Tokens: prefix.Tokens(10_000)}, time.Hour, usage(prefix.Tokens(9984)), prefix.CauseNone, 0, 0},
		{"not said", Sent{Answered: true, Tokens: prefix.Tokens(10_000)}, time.Minute, usage(prefix.Count{}), prefix.CauseUnreported, 9984, 9984},
		{"still in flight", Sent{}, time.Second, usage(prefix.Tokens(0)), prefix.CauseColdStart, 9998, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := NewIndex(IndexConfig{})
			x.Add(s, first, tt.sent, at0)
			found := x.Look(s, next, "", at0.Add(tt.later))
			got := rules.Account(next, found, Explain(next, found), tt.usage)
			var lost int64
			for _, l := range got.Losses {
				lost += l.Tokens
			}
			if got.Cause != tt.cause || math.Abs(float64(lost-tt.lost)) > 20 || got.Expected != tt.expect || len(got.Losses) > 1 {
				t.Errorf("%+v, want %s, %d lost, %d expected", got, tt.cause, tt.lost, tt.expect)
			}
			if (got.Cause == prefix.CauseRouting) != (got.Shortfall() > 128) {
				t.Errorf("shortfall %d", got.Shortfall())
			}
		})
	}
}

// What a provider that says nothing should have read is unreported to the last token: held
// against what was read, it would look like a miss.
func TestAllThatIsNotSaidIsUnreported(t *testing.T) {
	rules, _ := Lookup("vllm")
	s, x := Scope{"t", "p", "m"}, NewIndex(IndexConfig{})
	system := strings.Repeat("word ", 20)
	first, next := pathOf(system, "a question"), pathOf(system, "another one")
	x.Add(s, first, Sent{Answered: true, Tokens: prefix.Tokens(30)}, at0)
	found := x.Look(s, next, "", at0)
	got := rules.Account(next, found, Explain(next, found), prefix.Usage{Prompt: prefix.Tokens(31)})
	if want := []Loss{{prefix.CauseUnreported, got.Expected}}; got.Expected != 16 || !slices.Equal(got.Losses, want) {
		t.Errorf("%d tokens expected, losses %+v", got.Expected, got.Losses)
	}
}

// Everything after the break is lost to its cause, and what is left of the
// prefix is still expected.
func TestAccountOfABrokenPrefix(t *testing.T) {
	rules, _ := Lookup("sim")
	s, x := Scope{"t", "p", "m"}, NewIndex(IndexConfig{})
	// All of one kind of text, since each byte weighs the same here, and four tokens around
	// each message.
	system, long := strings.Repeat(bareTool("s"), 10), strings.Repeat(bareTool("h"), 200)
	first := PathOf(simRender, prefix.Head{System: [][]byte{[]byte(system)}, Tools: [][]byte{[]byte(bareTool("pick"))}}, [][]byte{[]byte(long)})
	x.Add(s, first, Sent{Answered: true, Tokens: prefix.Tokens(first.Bytes(first.Len())/4 + 8)}, at0)

	child := PathOf(simRender, prefix.Head{System: [][]byte{[]byte(system)}, Tools: [][]byte{[]byte(bareTool("report")), []byte(bareTool("pick"))}}, [][]byte{[]byte(long), []byte("task")})
	found := x.Look(s, child, "", at0)
	b := Explain(child, found)
	// What both tools begin with is shared as well: {"type":"function","function":{"name":"
	within := int64(strings.Index(bareTool("pick"), "pick"))
	want, prompt := (int64(len(system))+within)/4+4, child.Bytes(child.Len())/4+12
	got := rules.Account(child, found, b, prefix.Usage{Prompt: prefix.Tokens(prompt), Cached: prefix.Tokens(want / 16 * 16)})
	if b.Cause != prefix.CauseToolsChanged || b.Name != "+report" {
		t.Errorf("break: %+v", b)
	}
	if got.Shared < want-2 || got.Shared > want+2 || got.Expected != want/16*16 {
		t.Errorf("shared %d, expected %d; want about %d", got.Shared, got.Expected, want)
	}
	if len(got.Losses) != 1 || got.Losses[0].Cause != prefix.CauseToolsChanged || got.Losses[0].Tokens < prompt*9/10 {
		t.Errorf("losses: %+v of %d", got.Losses, prompt)
	}
}

// A provider that does not render what changed, or that caches within a part, reads beyond
// the break. What it has read is not lost.
func TestAccountOfABreakThatTheProviderReadsOver(t *testing.T) {
	rules, _ := Lookup("openai")
	s, x := Scope{"t", "p", "m"}, NewIndex(IndexConfig{})
	text := strings.Repeat("word ", 8000)
	first := pathOf("sys", text)
	x.Add(s, first, Sent{Answered: true, Tokens: prefix.Tokens(10_000)}, at0)
	choice := prefix.Head{System: [][]byte{[]byte("sys")}, Fields: []prefix.Field{{Name: "tool_choice", Raw: []byte(`"auto"`)}}}
	next := PathOf(simRender, choice, [][]byte{[]byte(text), []byte(userItem("u"))})
	found := x.Look(s, next, "", at0)
	b := Explain(next, found)
	if b.Cause != prefix.CauseParamsChanged {
		t.Fatalf("%+v", b)
	}
	for _, tt := range []struct {
		reported prefix.Count
		lost     int64
	}{{prefix.Tokens(0), 10_000}, {prefix.Tokens(4096), 5904}, {prefix.Tokens(9984), 0}, {prefix.Count{}, 10_000}} {
		got := rules.For("gpt-5").Account(next, found, b, prefix.Usage{Prompt: prefix.Tokens(10_010), Cached: tt.reported})
		var lost int64
		for _, l := range got.Losses {
			lost += l.Tokens
		}
		if math.Abs(float64(lost-tt.lost)) > 20 {
			t.Errorf("%+v read: %+v, want %d lost", tt.reported, got, tt.lost)
		}
	}
}

// Where a provider caches at few points only, a break costs what is shared ahead of it as
// well, up to the last such point. That is the break's doing where the whole prefix had such
// a point, and else the rule's.
func TestAccountOfABreakAheadOfTheNextBoundary(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	part := func(mark string) string {
		return `{"role":"user","content":[{"type":"text","text":"` + strings.Repeat("word ", 4000) + `"` + mark + `}]}`
	}
	short := strings.Repeat("word ", 100)
	for _, tt := range []struct {
		name, provider, model string
		first, next           []string
		cause                 prefix.Cause
	}{
		{"whole units", "deepseek", "m", []string{part(""), userItem("a"), answerItem("b"), part("")}, []string{part(""), userItem("x"), answerItem("b"), part("")}, prefix.CauseHistoryRewritten},
		{"behind a marker", "anthropic", "claude-sonnet-4-5", []string{part(""), userItem("a"), answerItem("b"), part(mark)}, []string{part(""), userItem("x"), answerItem("b"), part(mark)}, prefix.CauseHistoryRewritten},
		{"without one", "anthropic", "claude-sonnet-4-5", []string{part(""), userItem("a"), answerItem("b"), userItem("c")}, []string{part(""), userItem("x"), answerItem("b"), userItem("c")}, prefix.CauseNoBoundary},
		{"ahead of the minimum", "openai", "gpt-5", []string{userItem(short), userItem("a"), answerItem("b"), part("")}, []string{userItem(short), userItem("x"), answerItem("b"), part("")}, prefix.CauseHistoryRewritten},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Lookup(tt.provider)
			if err != nil {
				t.Fatal(err)
			}
			rules := p.For(tt.model)
			s, x := Scope{"t", "p", tt.model}, NewIndex(IndexConfig{})
			first, next := PathOf(p.Render, prefix.Head{}, values(tt.first...)), PathOf(p.Render, prefix.Head{}, values(tt.next...))
			tokens := first.Bytes(first.Len()) / 5
			x.Add(s, first, Sent{Answered: true, Tokens: prefix.Tokens(tokens)}, at0)
			found := x.Look(s, next, "", at0)
			got := rules.Account(next, found, Explain(next, found), prefix.Usage{Prompt: prefix.Tokens(tokens), Cached: prefix.Tokens(0)})
			if got.Cause != tt.cause || len(got.Losses) != 1 || got.Expected != 0 {
				t.Errorf("%+v, want all of it lost to %s", got, tt.cause)
			}
		})
	}
}

// The estimate of what is shared must err by less than one per cent after the
// second request of a lineage, and of a fork of it, whatever a byte weighs in
// each part.
func TestCalibrationErrsByLessThanAPercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, _ := Lookup("sglang")
		s, x := Scope{"t", "p", "m"}, NewIndex(IndexConfig{})
		draw := func(name string) string {
			return strings.Repeat(rapid.StringMatching(`[a-z]{1,6} `).Draw(t, name), rapid.IntRange(1, 400).Draw(t, name+" length"))
		}
		weights := map[string]float64{} // part → tokens
		truth := func(parts []string) int64 {
			sum := 0.0
			for _, p := range parts {
				if weights[p] == 0 {
					weights[p] = float64(len(p)) / float64(rapid.IntRange(2, 6).Draw(t, "bytes a token"))
				}
				sum += weights[p]
			}
			return int64(sum) + 4 // the template's opening of the answer
		}
		system := strings.Repeat("You are an agent. ", 200)
		var items []string
		for turn := range 5 {
			if turn > 0 {
				items = append(items, fmt.Sprint(turn, draw("answer")))
			}
			items = append(items, fmt.Sprint(turn, draw("prompt")))
			p := pathOf(system, items...)
			found := x.Look(s, p, "", at0)
			u := prefix.Usage{Prompt: prefix.Tokens(truth(append([]string{system}, items...)))}
			got := rules.For("").Account(p, found, Explain(p, found), u)
			if turn > 0 {
				shared := truth(append([]string{system}, items[:len(items)-2]...)) - 4
				if off := math.Abs(float64(got.Shared - shared)); off > 0.01*float64(u.Prompt.N) {
					t.Fatalf("turn %d: shared %d, in truth %d of %d", turn, got.Shared, shared, u.Prompt.N)
				}
			}
			x.Add(s, p, Sent{Answered: true, Tokens: u.Prompt}, at0)
		}
	})
}
