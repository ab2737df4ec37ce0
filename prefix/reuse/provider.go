package reuse

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"trunkline/prefix"
)

// ErrUnknownProvider is returned by Lookup for a name that is not in the table.
var ErrUnknownProvider = errors.New("unknown provider")

// A Boundary says at which points of a sent prompt a provider's cache can be
// entered again.
type Boundary string

const (
	BoundaryToken      Boundary = "token"      // after any token
	BoundaryBlock      Boundary = "block"      // after every Granularity tokens
	BoundaryUnit       Boundary = "unit"       // only where a request's input or output ended
	BoundaryBreakpoint Boundary = "breakpoint" // only where a breakpoint was set, by the client or for it
)

// Rules say how much of a prefix that was sent before a provider reads from
// its cache. The zero value of each number means "no such limit known".
type Rules struct {
	Minimum     int64 // tokens; a shorter shared prefix is never cached
	Granularity int64 // tokens; a hit is counted in steps of it
	Boundary    Boundary
	Marker      prefix.Marker // BoundaryBreakpoint: how one is set
	Implicit    bool          // BoundaryBreakpoint: one is set at each request's end, too, unless the client turns that off
	Lifetime    time.Duration // an entry unused for longer may be gone; the shortest that the provider promises
	ReadPrice   float64       // price of a cached token, as a ratio of an uncached one
	WritePrice  float64       // price of a token written to the cache, likewise
}

// A Provider is the profile of one provider or engine, as data. It holds what
// accounting and composing need to know, and nothing that acts.
type Provider struct {
	Name  string
	Hosts []string // glob patterns of the base URL's host, with its port if the pattern has one
	Rules          // of models that Models does not name
	// Models holds the rules of model families, by glob over the model's name
	// without a vendor prefix; the first match counts.
	Models []ModelRules
	// Render is the order in which the provider renders what it caches. A
	// change destroys its own segment and all that follow: with the tools
	// ahead of the system prompt, another tool costs both.
	Render []string

	CacheKey         bool // accepts prompt_cache_key
	StreamOptions    bool // accepts stream_options.include_usage
	AlternateRoles   bool // refuses two user messages in a row
	Staging          bool // siblings sent together do not share: send one first
	CloseAfterStream bool // closes connections after streams while advertising keep-alive
	KeepReasoning    bool // reasoning_content belongs in the history that is sent back
}

// ModelRules are the rules of one model family.
type ModelRules struct {
	Match string // glob, as of package path, in lower case
	Rules
}

// For returns the rules for a model, named as a request names it.
func (p Provider) For(model string) Rules {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, m := range p.Models {
		if ok, _ := path.Match(m.Match, model); ok {
			return m.Rules
		}
	}
	return p.Rules
}

// Lookup returns the profile of that name. Its error wraps ErrUnknownProvider
// and names the known ones.
func Lookup(name string) (Provider, error) {
	table := Providers()
	for _, p := range table {
		if p.Name == name {
			return p, nil
		}
	}
	names := make([]string, len(table))
	for i, p := range table {
		names[i] = p.Name
	}
	slices.Sort(names)
	return Provider{}, fmt.Errorf("%w %q; known are %s", ErrUnknownProvider, name, strings.Join(names, ", "))
}

// ByURL returns the profile for a base URL, and the generic one for a host
// that no profile names.
func ByURL(base string) Provider {
	var generic Provider
	u, err := url.Parse(base)
	for _, p := range Providers() {
		if p.Name == "generic" {
			generic = p
		}
		if err == nil && slices.ContainsFunc(p.Hosts, func(pattern string) bool {
			host := u.Hostname()
			if strings.Contains(pattern, ":") {
				host = u.Host
			}
			ok, _ := path.Match(pattern, strings.ToLower(host))
			return ok
		}) {
			return p
		}
	}
	return generic
}

// Providers returns the table. What a comment calls high is stated by the
// provider's own documentation or measured here; medium is measured or stated
// by third parties; low is a guess on the safe side, which is the one that
// expects less.
func Providers() []Provider {
	// Templates of open models print the tools behind the system text, inside
	// the first message (high for ChatML and Llama templates, measured).
	template := []string{prefix.SegmentParams, prefix.SegmentSystem, prefix.SegmentTools, prefix.SegmentHistory}
	// OpenAI draws its rendered context as hidden text, tools, developer
	// message, history (high).
	toolsFirst := []string{prefix.SegmentParams, prefix.SegmentTools, prefix.SegmentSystem, prefix.SegmentHistory}

	openai := Rules{
		Minimum:     1024, // high
		Granularity: 128,  // high
		Boundary:    BoundaryBlock,
		Lifetime:    5 * time.Minute, // high: 5 to 10 minutes unused, an hour at most
		ReadPrice:   0.1,             // high for the GPT-5 family
		WritePrice:  1,               // high: no fee
	}
	breakpoint := Rules{
		Minimum:     1024, // high
		Granularity: 1,    // medium: reads of 6,001 tokens were reported
		Boundary:    BoundaryBreakpoint,
		Marker: prefix.Marker{
			// High: on text parts of chat messages; older families refuse it.
			Member: `"prompt_cache_breakpoint":{"mode":"explicit"}`,
			// Medium: one on an assistant's text was seen to be ignored, and may be
			// refused. Results of tools take it.
			Tool: true,
		},
		Implicit:   true,             // high: at the latest message of a user or of tools, beside up to three markers, unless the client asks for explicit mode
		Lifetime:   30 * time.Minute, // high: "at least 30 minutes", the only TTL there is
		ReadPrice:  0.1,              // high
		WritePrice: 1.25,             // high
	}
	read := func(r Rules, price float64) Rules { r.ReadPrice = price; return r }
	openaiModels := []ModelRules{
		{"gpt-5.[6-9]*", breakpoint}, // high: GPT-5.6 and later families
		{"gpt-[6-9]*", breakpoint},   // medium: "later families"
		{"gpt-4o*", read(openai, 0.5)},
		{"gpt-4.1*", read(openai, 0.25)},
		{"o[34]*", read(openai, 0.25)}, // medium
		{"o1*", read(openai, 0.5)},
	}

	anthropic := Rules{
		Minimum:     1024, // high for the Sonnet family
		Granularity: 1,
		Boundary:    BoundaryBreakpoint,
		Marker: prefix.Marker{
			// High, at the gateways that speak chat completions for these models.
			// Anthropic's own chat completions ignore it, and cache nothing (high).
			Member:    `"cache_control":{"type":"ephemeral"}`,
			Assistant: true,
			// Medium: gateways that copy a result's parts as they are have it refused.
			Tool: false,
		},
		Lifetime:   5 * time.Minute, // high; each read renews it
		ReadPrice:  0.1,             // high
		WritePrice: 1.25,            // high for 5 minutes; 2 for an hour
	}
	atLeast := func(r Rules, tokens int64) Rules { r.Minimum = tokens; return r }
	anthropicModels := []ModelRules{
		{"claude-opus-5*", atLeast(anthropic, 512)}, // medium
		{"claude-opus-4?[56]*", atLeast(anthropic, 4096)},
		{"claude-haiku-4?5*", atLeast(anthropic, 4096)},
		{"claude-3*haiku*", atLeast(anthropic, 2048)},
	}
	openrouterClaude := append(slices.Clone(anthropicModels), ModelRules{"claude-*", anthropic})
	for i := range openrouterClaude {
		openrouterClaude[i].Marker.Tool = true // medium: moved from the text to the result
	}

	deepseek := Rules{
		Minimum:     128,           // medium: no smaller hit was observed
		Granularity: 128,           // medium: observed steps
		Boundary:    BoundaryUnit,  // high: ends of user input and of model output
		Lifetime:    2 * time.Hour, // medium: "a few hours to a few days"
		ReadPrice:   0.1,           // medium: 0.02 to 0.2 by model and season
		WritePrice:  1,             // high: no fee
	}
	engine := Rules{Granularity: 1, Boundary: BoundaryToken, WritePrice: 1} // evicted by need, not by age; reads are free

	return []Provider{
		{
			Name: "openai", Hosts: []string{"api.openai.com", "*.api.openai.com"},
			Rules: openai, Models: openaiModels, Render: toolsFirst,
			CacheKey: true, StreamOptions: true,
		},
		{
			// For a model whose name does not tell its family.
			Name:  "openai-breakpoint",
			Rules: breakpoint, Render: toolsFirst,
			CacheKey: true, StreamOptions: true,
		},
		{
			// Same models and rules (high); its deployments may have any name.
			Name: "azure", Hosts: []string{"*.openai.azure.com", "*.cognitiveservices.azure.com", "*.services.ai.azure.com"},
			Rules: openai, Models: openaiModels, Render: toolsFirst,
			CacheKey: true, StreamOptions: true,
		},
		{
			Name: "deepseek", Hosts: []string{"api.deepseek.com"},
			Rules: deepseek, Render: template,
			StreamOptions: true,
			KeepReasoning: true, // medium: a turn with tool calls is refused without it; elsewhere it is ignored
		},
		{
			Name: "anthropic", Hosts: []string{"api.anthropic.com"},
			Rules: anthropic, Models: anthropicModels,
			// High: tools, system, messages; tool_choice and thinking touch
			// only the messages.
			Render:        []string{prefix.SegmentTools, prefix.SegmentSystem, prefix.SegmentParams, prefix.SegmentHistory},
			StreamOptions: true,
		},
		{
			// Routes to many providers: the strictest of their common rules.
			Name: "openrouter", Hosts: []string{"openrouter.ai", "*.openrouter.ai"},
			Rules:    openai,
			Models:   append(slices.Concat(openaiModels, openrouterClaude), ModelRules{"deepseek-*", deepseek}),
			Render:   toolsFirst,
			CacheKey: true, // medium: passed on to OpenAI's models
			// High: usage comes in any case, the option is accepted.
			StreamOptions: true,
		},
		{
			// Reports only with --enable-prompt-tokens-details (high). The block
			// is larger for hybrid models (528 observed).
			Name:   "vllm",                                                                      // its port 8000 is everybody's
			Rules:  Rules{Minimum: 16, Granularity: 16, Boundary: BoundaryBlock, WritePrice: 1}, // high: whole blocks of 16
			Render: template, StreamOptions: true,
		},
		{
			// vLLM with a model whose template refuses two user messages in a row
			// (high for Gemma and Mistral 7B Instruct).
			Name:   "vllm-alternating",
			Rules:  Rules{Minimum: 16, Granularity: 16, Boundary: BoundaryBlock, WritePrice: 1},
			Render: template, StreamOptions: true, AlternateRoles: true,
		},
		{
			// Reports only with --enable-cache-report (high); pages of one token
			// unless started otherwise (medium).
			Name:  "sglang",
			Rules: engine, Render: template, StreamOptions: true,
		},
		{
			// High, measured: forks sent together to several slots recompute
			// everything; 15 of 300 back-to-back streams failed on a reused
			// connection; reasoning that a template strips costs the turn.
			Name:  "llamacpp",
			Rules: engine, Render: template, StreamOptions: true,
			Staging: true, CloseAfterStream: true, KeepReasoning: true,
		},
		{
			Name: "ollama", Hosts: []string{"*:11434", "ollama.com"},
			Rules: engine, Render: template, StreamOptions: true, // does not report cached tokens (medium)
		},
		{
			Name: "moonshot", Hosts: []string{"api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"},
			Rules: Rules{
				Minimum: 256, Granularity: 256, Boundary: BoundaryBlock, // medium: measured from 800 to 32,000 tokens
				Lifetime:   5 * time.Minute, // low
				ReadPrice:  0.25,            // medium
				WritePrice: 1,
			},
			Render: template, CacheKey: true, StreamOptions: true,
			KeepReasoning: true, // high for the thinking models with tools
		},
		{
			Name: "zai", Hosts: []string{"api.z.ai", "open.bigmodel.cn"},
			Rules: Rules{
				Minimum: 1024, Granularity: 128, Boundary: BoundaryBlock, // low
				Lifetime:   5 * time.Minute, // low
				ReadPrice:  0.2,             // high
				WritePrice: 1,
			},
			Render: template, StreamOptions: true, KeepReasoning: true, // medium
		},
		{
			Name: "groq", Hosts: []string{"api.groq.com"},
			Rules: Rules{
				Minimum: 1024, Granularity: 128, Boundary: BoundaryBlock, // medium: 128 to 1,024 by model
				Lifetime:   2 * time.Hour, // high
				ReadPrice:  0.5,           // high
				WritePrice: 1,             // high
			},
			Render: template, StreamOptions: true,
		},
		{
			// Refuses members that it does not know (medium); sends usage in
			// the last event of each stream unasked.
			Name: "mistral", Hosts: []string{"api.mistral.ai"},
			Rules: Rules{
				Minimum: 1024, Granularity: 128, Boundary: BoundaryBlock, // low
				Lifetime:   5 * time.Minute, // low
				ReadPrice:  0.1,             // high
				WritePrice: 1,
			},
			Render: template, CacheKey: true, // high
		},
		{
			// An unknown provider is held to what OpenAI, whose API it speaks,
			// promises (low). The key is not offered to it.
			Name:  "generic",
			Rules: openai, Render: toolsFirst, StreamOptions: true,
		},
		{
			// The simulated provider of this project: known exactly.
			Name:   "sim",
			Rules:  Rules{Minimum: 16, Granularity: 16, Boundary: BoundaryBlock, ReadPrice: 0.1, WritePrice: 1},
			Render: template, CacheKey: true, StreamOptions: true, KeepReasoning: true,
		},
	}
}
