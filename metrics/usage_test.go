package metrics

import (
	"testing"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
)

// TestUsageOfProviders gives each profile the usage that its providers report, in their
// shape, and reads the series. absent, 0 and n are three things: what was not reported is
// never a miss, and a reported 0 is never unreported.
func TestUsageOfProviders(t *testing.T) {
	played := map[string]bool{}
	for _, c := range []struct {
		provider, usage, timings             string
		read, write, miss, unreported, wrote float64
	}{
		{provider: "openai", usage: `{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}`, read: 1920, miss: 86, wrote: 300},
		{provider: "openai", usage: `{"prompt_tokens":100,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":0}}`, miss: 100, wrote: 1},
		{provider: "openai", usage: `{"prompt_tokens":100,"completion_tokens":1,"prompt_tokens_details":null}`, unreported: 100, wrote: 1},
		{provider: "openai", usage: `{"prompt_tokens":100,"completion_tokens":1}`, unreported: 100, wrote: 1},
		{provider: "openai-breakpoint", usage: `{"prompt_tokens":9000,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":6001,"cache_write_tokens":2900}}`, read: 6001, write: 2900, miss: 99, wrote: 5},
		{provider: "openai", usage: `{"input_tokens":500,"input_tokens_details":{"cached_tokens":384},"output_tokens":7}`, read: 384, miss: 116, wrote: 7},
		{provider: "azure", usage: `{"prompt_tokens":1500,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1408}}`, read: 1408, miss: 92, wrote: 2},
		{provider: "deepseek", usage: `{"prompt_tokens":1000,"completion_tokens":20,"prompt_cache_hit_tokens":896,"prompt_cache_miss_tokens":104}`, read: 896, miss: 104, wrote: 20},
		{provider: "deepseek", usage: `{"prompt_tokens":100,"completion_tokens":2,"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":100}`, miss: 100, wrote: 2},
		{provider: "anthropic", usage: `{"input_tokens":21,"cache_creation_input_tokens":188,"cache_read_input_tokens":5000,"output_tokens":40}`, read: 5000, write: 188, miss: 21, wrote: 40},
		{provider: "anthropic", usage: `{"input_tokens":21,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":40}`, miss: 21, wrote: 40},
		{provider: "openrouter", usage: `{"prompt_tokens":800,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":512},"cost":0.01}`, read: 512, miss: 288, wrote: 3},
		{provider: "vllm", usage: `{"prompt_tokens":640,"total_tokens":650,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":624}}`, read: 624, miss: 16, wrote: 10},
		{provider: "vllm", usage: `{"prompt_tokens":640,"total_tokens":650,"completion_tokens":10,"prompt_tokens_details":null}`, unreported: 640, wrote: 10},
		{provider: "vllm-alternating", usage: `{"prompt_tokens":640,"total_tokens":650,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":0}}`, miss: 640, wrote: 10},
		{provider: "sglang", usage: `{"prompt_tokens":64,"total_tokens":74,"completion_tokens":10,"prompt_tokens_details":null}`, unreported: 64, wrote: 10},
		{provider: "sglang", usage: `{"prompt_tokens":64,"total_tokens":74,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":63}}`, read: 63, miss: 1, wrote: 10},
		{provider: "llamacpp", usage: `{"completion_tokens":8,"prompt_tokens":68,"total_tokens":76}`, timings: `{"cache_n":60,"prompt_n":8,"prompt_ms":30.1,"predicted_n":8}`, read: 60, miss: 8, wrote: 8},
		{provider: "llamacpp", timings: `{"cache_n":0,"prompt_n":68,"predicted_n":8}`, miss: 68, wrote: 8},
		{provider: "ollama", usage: `{"prompt_tokens":26,"completion_tokens":290,"total_tokens":316}`, unreported: 26, wrote: 290},
		{provider: "moonshot", usage: `{"prompt_tokens":1000,"completion_tokens":4,"cached_tokens":768}`, read: 768, miss: 232, wrote: 4},
		{provider: "zai", usage: `{"prompt_tokens":1200,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":1152}}`, read: 1152, miss: 48, wrote: 4},
		{provider: "groq", usage: `{"queue_time":0.01,"prompt_tokens":4641,"prompt_time":0.1,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":4608}}`, read: 4608, miss: 33, wrote: 9},
		{provider: "mistral", usage: `{"prompt_tokens":16,"completion_tokens":34,"total_tokens":50}`, unreported: 16, wrote: 34},
		{provider: "generic", usage: `{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":1000}}`, read: 100},
		{provider: "generic"},
		{provider: "sim", usage: `{"prompt_tokens":100,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":96}}`, read: 96, miss: 4, wrote: 1},
	} {
		played[c.provider] = true
		t.Run(c.provider, func(t *testing.T) {
			profile, err := reuse.Lookup(c.provider)
			if err != nil {
				t.Fatal(err)
			}
			m := New(Config{})
			m.step(proxy.StepInfo{
				Provider: profile.Name, Model: "m", Relation: proxy.RelationFork, Status: 200, Taken: true, Completed: true,
				Usage: prefix.ReadUsage([]byte(c.usage), []byte(c.timings)),
			})
			parts := map[string]float64{}
			for cache, v := range map[string]float64{CacheRead: c.read, CacheWrite: c.write, CacheMiss: c.miss, CacheUnreported: c.unreported} {
				if v != 0 {
					parts[cache+" m "+c.provider+" fork"] = v
				}
			}
			want(t, m, PromptTokensTotal, parts)
			if got := m.series(t, CompletionTokensTotal)[""]; got != c.wrote {
				t.Errorf("%s is %v, want %v", CompletionTokensTotal, got, c.wrote)
			}
		})
	}
	for _, p := range reuse.Providers() {
		if !played[p.Name] {
			t.Errorf("%s: no usage of its is read here", p.Name)
		}
	}
}

// TestUsageWithoutPromptIsEstimated: a request without usage does not vanish.
func TestUsageWithoutPromptIsEstimated(t *testing.T) {
	m := New(Config{})
	m.step(proxy.StepInfo{
		Provider: "vllm", Model: "m", Relation: proxy.RelationAnonymous, Status: 200, Taken: true, Completed: true,
		Reuse: reuse.Account{Prompt: 70, Shared: 60, Expected: 48, Losses: []reuse.Loss{{Cause: prefix.CauseUnreported, Tokens: 48}}},
	})
	want(t, m, PromptTokensTotal, map[string]float64{"unreported m vllm anonymous": 70})
	want(t, m, PrefixExpectedTokensTotal, map[string]float64{"m vllm": 48})
	want(t, m, PrefixShortfallTokensTotal, map[string]float64{"unreported m vllm": 48})
}
