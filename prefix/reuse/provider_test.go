package reuse

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"trunkline/prefix"
)

func TestLookupNamesTheKnownProviders(t *testing.T) {
	for _, p := range Providers() {
		got, err := Lookup(p.Name)
		if err != nil || got.Name != p.Name {
			t.Errorf("Lookup(%q) = %q, %v", p.Name, got.Name, err)
		}
	}
	_, err := Lookup("opnai")
	if !errors.Is(err, ErrUnknownProvider) || !strings.Contains(err.Error(), `"opnai"`) || !strings.Contains(err.Error(), "anthropic, azure, deepseek") {
		t.Errorf("err = %v", err)
	}
}

func TestByURL(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1":                     "openai",
		"https://eu.api.openai.com/v1":                  "openai",
		"https://API.OpenAI.com:443/v1":                 "openai",
		"https://acme.openai.azure.com/openai/v1?api=1": "azure",
		"https://api.deepseek.com":                      "deepseek",
		"https://api.anthropic.com/v1":                  "anthropic",
		"https://openrouter.ai/api/v1":                  "openrouter",
		"http://gpu7:8000/v1":                           "generic",
		"http://localhost:11434/v1":                     "ollama",
		"https://api.moonshot.cn/v1":                    "moonshot",
		"https://open.bigmodel.cn/api/paas/v4":          "zai",
		"https://api.groq.com/openai/v1":                "groq",
		"https://api.mistral.ai/v1":                     "mistral",
		"http://127.0.0.1:8090/v1":                      "generic",
		"https://api.openai.com.evil.example/v1":        "generic",
		"https://example.com/api.openai.com":            "generic",
		"http://[::1]:9999/v1":                          "generic",
		"://":                                           "generic",
		"":                                              "generic",
	} {
		if got := ByURL(base).Name; got != want {
			t.Errorf("ByURL(%q) = %q, want %q", base, got, want)
		}
	}
}

func TestRulesForModel(t *testing.T) {
	for _, tt := range []struct {
		provider, model string
		boundary        Boundary
		minimum         int64
	}{
		{"openai", "gpt-5.5", BoundaryBlock, 1024},
		{"openai", "gpt-5", BoundaryBlock, 1024},
		{"openai", "gpt-5.6-terra", BoundaryBreakpoint, 1024},
		{"openai", "GPT-6", BoundaryBreakpoint, 1024},
		{"openai", "gpt-4o-mini", BoundaryBlock, 1024},
		{"openrouter", "openai/gpt-5.6", BoundaryBreakpoint, 1024},
		{"openrouter", "anthropic/claude-haiku-4.5", BoundaryBreakpoint, 4096},
		{"openrouter", "anthropic/claude-sonnet-4.5", BoundaryBreakpoint, 1024},
		{"openrouter", "deepseek/deepseek-v3.2", BoundaryUnit, 128},
		{"openrouter", "meta/llama", BoundaryBlock, 1024},
		{"anthropic", "claude-opus-4-5-20251101", BoundaryBreakpoint, 4096},
		{"deepseek", "", BoundaryUnit, 128},
	} {
		p, err := Lookup(tt.provider)
		if err != nil {
			t.Fatal(err)
		}
		if r := p.For(tt.model); r.Boundary != tt.boundary || r.Minimum != tt.minimum {
			t.Errorf("%s %s: boundary %s, minimum %d; want %s, %d", tt.provider, tt.model, r.Boundary, r.Minimum, tt.boundary, tt.minimum)
		}
	}
}

// Every row must be usable as it stands: accounting divides by nothing and
// composing looks nothing up twice.
func TestProviderTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Providers() {
		if seen[p.Name] {
			t.Errorf("%s: listed twice", p.Name)
		}
		seen[p.Name] = true
		for _, pattern := range p.Hosts {
			if _, err := path.Match(pattern, ""); err != nil {
				t.Errorf("%s: host %q: %v", p.Name, pattern, err)
			}
		}
		order := slices.Sorted(slices.Values(p.Render))
		if !slices.Equal(order, []string{prefix.SegmentHistory, prefix.SegmentParams, prefix.SegmentSystem, prefix.SegmentTools}) || p.Render[3] != prefix.SegmentHistory {
			t.Errorf("%s: renders %v", p.Name, p.Render)
		}
		rules := []ModelRules{{p.Name, p.Rules}}
		for _, r := range append(rules, p.Models...) {
			if _, err := path.Match(r.Match, ""); err != nil {
				t.Errorf("%s: model %q: %v", p.Name, r.Match, err)
			}
			if r.Granularity < 1 || r.Minimum < 0 || r.Boundary == "" {
				t.Errorf("%s: %s: cannot be counted with: %+v", p.Name, r.Match, r.Rules)
			}
			if r.ReadPrice < 0 || r.ReadPrice > 1 || r.WritePrice < 1 || r.Lifetime != 0 && r.Lifetime < time.Minute {
				t.Errorf("%s: %s: implausible: %+v", p.Name, r.Match, r.Rules)
			}
		}
	}
	for _, name := range []string{"openai", "openai-breakpoint", "azure", "deepseek", "anthropic", "openrouter", "vllm", "sglang", "llamacpp", "ollama", "moonshot", "zai", "groq", "mistral", "generic", "sim"} {
		if !seen[name] {
			t.Errorf("%s: missing", name)
		}
	}
}
