package sim_test

import (
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// words is a deterministic text of n bytes.
func words(seed string, n int) string {
	return strings.Repeat(seed+" and so on. ", n/len(seed)+1)[:n]
}

const (
	toolA = `{"type":"function","function":{"name":"a","parameters":{"type":"object","required":["z","a"]}}}`
	toolB = `{"type":"function","function":{"name":"b","parameters":{"type":"object"}}}`
)

func body(tools string, messages ...string) string {
	b := `{"model":"m1","messages":[` + strings.Join(messages, ",") + `]`
	if tools != "" {
		b += `,"tools":[` + tools + `]`
	}
	return b + "}"
}

func msg(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }

// trunk is a parent's conversation of a few thousand tokens.
func trunk() []string {
	return []string{
		msg("system", words("system", 2000)), msg("user", words("first", 3001)),
		msg("assistant", words("answer", 1502)), msg("user", words("second", 2003)),
	}
}

// cached posts bodies in order and returns the last one's tokens.
func cached(t *testing.T, cfg sim.Config, bodies ...string) (prompt, hit int) {
	t.Helper()
	s, _, url := dial(t, cfg)
	for _, b := range bodies {
		post(t, url+"/v1/chat/completions", b)
	}
	all := s.Requests()
	last := all[len(all)-1]
	return last.PromptTokens, last.CachedTokens
}

func TestCacheForkHitsWholeSharedBlocks(t *testing.T) {
	parent := trunk()
	fork := append(trunk(), msg("assistant", "ok"), msg("user", "the task"))
	// All of the parent's prompt is shared: the marker at its end, after which
	// the model speaks, also opens the fork's assistant item.
	mute := sim.Config{Script: func(sim.Request) sim.Answer { return sim.Answer{} }}
	prompt, _ := cached(t, mute, body(toolA, parent...))
	_, hit := cached(t, mute, body(toolA, parent...), body(toolA, fork...))
	if want := prompt / 16 * 16; hit != want {
		t.Errorf("fork hit %d tokens, want the block floor %d of %d shared", hit, want, prompt)
	}
}

func TestCacheWholePromptAgainComputesItsLastToken(t *testing.T) {
	for pad := range 16 * 4 {
		b := body("", msg("user", words("x", 400+pad)))
		prompt, hit := cached(t, sim.Config{}, b, b)
		if want := (prompt - 1) / 16 * 16; hit != want {
			t.Fatalf("the same prompt of %d tokens hit %d, want %d", prompt, hit, want)
		}
	}
}

func TestCacheDivergence(t *testing.T) {
	parent := body(toolA+","+toolB, trunk()...)
	system := 2000/4 + 3 // its text, and two markers and the content's
	more := append(trunk(), msg("assistant", "ok"), msg("user", "more"))
	changedSystem := append([]string{msg("system", "X"+words("system", 1999))}, trunk()[1:]...)
	for name, tt := range map[string]struct {
		order     sim.Order
		body      string
		low, high int // bounds of the hit
	}{
		"a child-only tool keeps the system prompt only": {body: body(toolA+","+toolB+","+toolB, more...), low: system - 16, high: system + 100},
		"swapped tools keep the system prompt only":      {body: body(toolB+","+toolA, more...), low: system - 16, high: system + 16},
		"tools first: swapped tools keep nothing":        {order: sim.ToolsFirst, body: body(toolB+","+toolA, more...)},
		"a changed first byte of the system prompt":      {body: body(toolA+","+toolB, changedSystem...)},
		"tools first: the tools outlive the system":      {order: sim.ToolsFirst, body: body(toolA+","+toolB, changedSystem...), low: 16, high: 64},
		"key order inside a schema": {
			body: body(strings.Replace(toolA, `"type":"object","required":["z","a"]`, `"required":["z","a"],"type":"object"`, 1)+","+toolB, more...),
			low:  system - 16, high: system + 32,
		},
		"another model": {body: strings.Replace(parent, `"m1"`, `"m2"`, 1)},
		"a cache salt":  {body: strings.Replace(parent, `"model"`, `"cache_salt":"s","model"`, 1)},
		"an effort":     {body: strings.Replace(parent, `"model"`, `"reasoning_effort":"high","model"`, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			_, hit := cached(t, sim.Config{Order: tt.order}, parent, tt.body)
			if hit < tt.low || hit > tt.high {
				t.Errorf("hit %d tokens, want %d to %d", hit, tt.low, tt.high)
			}
		})
	}
}

func TestCacheNeutralSpelling(t *testing.T) {
	parent := body(toolA, trunk()...)
	prompt, _ := cached(t, sim.Config{}, parent)
	for name, b := range map[string]string{
		"white space between members": strings.ReplaceAll(strings.Replace(parent, `,"tools":`, " ,\n \"tools\" : ", 1), `},{"role"`, "} ,\n {\"role\""),
		"key order at the top":        `{"tools":[` + toolA + `],"messages":[` + strings.Join(trunk(), ",") + `],"model":"m1"}`,
		"escapes in a text":           strings.Replace(parent, "and so on", `\u0061nd so on`, 5),
		"content as parts":            strings.Replace(parent, `"content":"`+words("second", 2003)+`"`, `"content":[{"type":"text","text":"`+words("second", 2003)+`"}]`, 1),
		"sampling":                    strings.Replace(parent, `"model"`, `"temperature":0.5,"tool_choice":"auto","model"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if b == parent {
				t.Fatal("the body does not differ")
			}
			if n, hit := cached(t, sim.Config{}, parent, b); n != prompt || hit != (prompt-1)/16*16 {
				t.Errorf("%d of %d tokens hit, want all of %d", hit, n, prompt)
			}
		})
	}
}

func TestCacheKeepsAnswers(t *testing.T) {
	answer := sim.Answer{
		Reasoning: words("because", 900), Text: words("spoken", 1203),
		Calls: []sim.Call{{ID: "c1", Name: "pick", Arguments: `{"a": "` + words("argument", 700) + `"}`}},
	}
	script := func(sim.Request) sim.Answer { return answer }
	first := body("", msg("user", "go"))
	echo := `{"tool_calls":[{"function":{"arguments":` + quote(answer.Calls[0].Arguments) + `,"name":"pick"},"type":"function","id":"c1"}],"role":"assistant","reasoning_content":` + quote(answer.Reasoning) + `,"content":` + quote(answer.Text) + `}`
	second := body("", msg("user", "go"), echo, `{"role":"tool","tool_call_id":"c1","content":"r"}`)

	prompt, hit := cached(t, sim.Config{Script: script}, first, second)
	if tail := prompt - hit; tail > 32 {
		t.Errorf("the echo of an answer hit %d of %d tokens: %d computed", hit, prompt, tail)
	}
	stream := strings.Replace(first, `"model"`, `"stream":true,"model"`, 1)
	if _, streamed := cached(t, sim.Config{Script: script}, stream, second); streamed != hit {
		t.Errorf("after a streamed answer %d tokens hit, after a whole one %d", streamed, hit)
	}
	respelt := strings.Replace(second, `{\"a\": \"`, `{\"a\":\"`, 1)
	if _, h := cached(t, sim.Config{Script: script}, first, respelt); h >= hit {
		t.Errorf("respelt arguments hit %d tokens, the verbatim ones %d", h, hit)
	}
}

func TestCacheEvictsLeastRecentlyUsed(t *testing.T) {
	prompt := func(s string) string { return body("", msg("user", words(s, 64*50))) } // 50 blocks and a bit
	mute := func(sim.Request) sim.Answer { return sim.Answer{} }
	cfg := sim.Config{Script: mute, CacheBlocks: 110}
	if _, hit := cached(t, cfg, prompt("a"), prompt("b"), prompt("a"), prompt("c"), prompt("a")); hit != 50*16 {
		t.Errorf("the prompt in use hit %d tokens, want %d", hit, 50*16)
	}
	_, hit := cached(t, cfg, prompt("a"), prompt("b"), prompt("a"), prompt("c"), prompt("b"))
	if hit >= 50*16 {
		t.Errorf("the prompt least in use hit %d tokens: it was not evicted", hit)
	}
	// Chains are evicted from their ends: what is left of b is its start.
	if hit != 10*16 {
		t.Errorf("the evicted prompt hit %d tokens, want the %d that there was room for", hit, 10*16)
	}
	s, _, url := dial(t, cfg)
	for _, p := range []string{"a", "b", "c"} {
		post(t, url+"/v1/chat/completions", prompt(p))
	}
	if st := s.Stats().Replicas[0]; st.Blocks != 110 || st.Evicted != 40 {
		t.Errorf("replica = %+v", st)
	}
}

func TestCacheReplicasShareNothing(t *testing.T) {
	b := body("", msg("user", words("a", 1000)))
	if _, hit := cached(t, sim.Config{Replicas: 2, Pick: sim.RoundRobin}, b, b); hit != 0 {
		t.Errorf("the other replica hit %d tokens", hit)
	}
	if _, hit := cached(t, sim.Config{Replicas: 2, Pick: sim.RoundRobin}, b, b, b); hit == 0 {
		t.Error("the same replica hit nothing")
	}
}
