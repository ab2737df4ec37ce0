package prefix

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// Count is a number of tokens that may not have been reported. The zero
// value means "the provider did not say", which is not the same as 0: a
// dashboard that shows an unreported cache as a cold one is wrong.
type Count struct {
	N     int64 // tokens; 0 when not Known
	Known bool
}

// maxCount keeps sums of counts far from overflow; nothing real comes near.
const maxCount = 1 << 53

// Tokens returns a known count of n tokens.
func Tokens(n int64) Count { return Count{N: n, Known: true} }

// or returns c when it is known, else other.
func (c Count) or(other Count) Count {
	if c.Known {
		return c
	}
	return other
}

// UnmarshalJSON reads a non-negative whole number. Everything else (null, a
// string, a negative number) leaves c as it was and is no error: one odd
// member must not cost the rest of a usage object.
func (c *Count) UnmarshalJSON(raw []byte) error {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		if n >= 0 && n < maxCount {
			*c = Tokens(n)
		}
		return nil
	}
	// 1e3 and 100.0 are whole numbers too; some gateways write them so.
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f >= 0 && f == math.Trunc(f) && f < maxCount {
		*c = Tokens(int64(f))
	}
	return nil
}

// MarshalJSON writes the number, or null when the provider did not say.
func (c Count) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, c.N, 10), nil
}

// Usage is what a provider reported for one request, in one shape:
// Prompt counts every prompt token, and Cached and Write are disjoint parts
// of it (0 ≤ Cached+Write ≤ Prompt whenever Prompt is known).
type Usage struct {
	Prompt     Count `json:"prompt"`
	Cached     Count `json:"cached"` // read from the provider's cache
	Write      Count `json:"write"`  // written to it; only providers that bill writes say so
	Completion Count `json:"completion"`
	Reasoning  Count `json:"-"` // the part of Completion that was thought, not said

	// Source is the path of the member that Cached was read from, such as
	// "prompt_tokens_details.cached_tokens"; "" while Cached is not known.
	Source string `json:"source,omitempty"`

	// rest is input_tokens where it may be meant as the Messages API counts
	// it: without what was read from the cache or written to it. Kept because
	// the parts of that shape may arrive in several events.
	rest Count
}

// cacheReadSource is the one cached count that input_tokens leaves out.
const cacheReadSource = "cache_read_input_tokens"

// usageMembers are the members that carry token counts, in all shapes known:
// Chat Completions, Responses (input_tokens with details), Messages
// (input_tokens without its cached part), DeepSeek's hit and miss, and the
// flat cached_tokens of Kimi and others.
type usageMembers struct {
	PromptTokens        Count        `json:"prompt_tokens"`
	PromptTokensDetails usageDetails `json:"prompt_tokens_details"`
	InputTokens         Count        `json:"input_tokens"`
	InputTokensDetails  usageDetails `json:"input_tokens_details"`
	CompletionTokens    Count        `json:"completion_tokens"`
	OutputTokens        Count        `json:"output_tokens"`
	CompletionDetails   usageDetails `json:"completion_tokens_details"`
	OutputDetails       usageDetails `json:"output_tokens_details"`
	CacheRead           Count        `json:"cache_read_input_tokens"`
	CacheCreation       Count        `json:"cache_creation_input_tokens"`
	Hit                 Count        `json:"prompt_cache_hit_tokens"`
	Miss                Count        `json:"prompt_cache_miss_tokens"`
	CachedTokens        Count        `json:"cached_tokens"`
}

type usageDetails struct {
	Cached        Count `json:"cached_tokens"`
	Write         Count `json:"cache_write_tokens"`
	CacheCreation Count `json:"cache_creation_tokens"`
	Reasoning     Count `json:"reasoning_tokens"`
}

// timingMembers are llama.cpp's own counts: tokens taken from the slot's
// cache, tokens processed, tokens generated.
type timingMembers struct {
	CacheN     Count `json:"cache_n"`
	PromptN    Count `json:"prompt_n"`
	PredictedN Count `json:"predicted_n"`
}

// ReadUsage normalises a raw usage object and llama.cpp's raw timings object;
// either may be nil. Nested members win over flat ones, usage over timings.
// What is absent, null, malformed or negative stays unknown.
func ReadUsage(usage, timings []byte) Usage {
	var m usageMembers
	var t timingMembers
	// A member of a wrong type is skipped by the decoder, which reads the rest.
	_ = json.Unmarshal(usage, &m)
	_ = json.Unmarshal(timings, &t)

	u := Usage{
		Prompt:     m.PromptTokens,
		Write:      m.PromptTokensDetails.Write.or(m.InputTokensDetails.Write).or(m.PromptTokensDetails.CacheCreation).or(m.CacheCreation),
		Completion: m.CompletionTokens.or(m.OutputTokens).or(t.PredictedN),
		Reasoning:  m.CompletionDetails.Reasoning.or(m.OutputDetails.Reasoning),
	}
	for _, c := range []struct {
		count Count
		from  string
	}{
		{m.PromptTokensDetails.Cached, "prompt_tokens_details.cached_tokens"},
		{m.InputTokensDetails.Cached, "input_tokens_details.cached_tokens"},
		{m.Hit, "prompt_cache_hit_tokens"},
		{m.CacheRead, cacheReadSource},
		{m.CachedTokens, "cached_tokens"},
		{t.CacheN, "timings.cache_n"},
	} {
		if c.count.Known {
			u.Cached, u.Source = c.count, c.from
			break
		}
	}

	switch {
	case u.Prompt.Known:
	case m.InputTokens.Known:
		u.Prompt = m.InputTokens
		if !m.InputTokensDetails.Cached.Known && !m.InputTokensDetails.Write.Known {
			u.rest = m.InputTokens
		}
	case m.Hit.Known && m.Miss.Known:
		u.Prompt = Tokens(m.Hit.N + m.Miss.N)
	case t.CacheN.Known && t.PromptN.Known:
		u.Prompt = Tokens(t.CacheN.N + t.PromptN.N)
	}
	// A reported miss is a report of the cached rest.
	for _, c := range []struct {
		miss Count
		from string
	}{{m.Miss, "prompt_cache_miss_tokens"}, {t.PromptN, "timings.prompt_n"}} {
		if !u.Cached.Known && u.Prompt.Known && c.miss.Known {
			u.Cached, u.Source = Tokens(max(0, u.Prompt.N-c.miss.N)), c.from
		}
	}
	return u.normal()
}

// normal restores the invariant between Prompt, Cached and Write.
func (u Usage) normal() Usage {
	if u.rest.Known && (u.Source == "" || u.Source == cacheReadSource) {
		u.Prompt = Tokens(u.rest.N + u.Cached.N + u.Write.N)
	}
	if u.Prompt == Tokens(0) {
		// No prompt is empty: a server that does not count says so, or an event that
		// comes before the count.
		return Usage{Completion: u.Completion, Reasoning: u.Reasoning, rest: u.rest}
	}
	if u.Prompt.Known {
		u.Cached.N = min(u.Cached.N, u.Prompt.N)
		u.Write.N = min(u.Write.N, u.Prompt.N-u.Cached.N)
	}
	return u
}

// Merge returns u with everything that a later report of the same request
// knows: of each figure the last one reported wins.
func (u Usage) Merge(later Usage) Usage {
	m := Usage{
		Prompt:     later.Prompt.or(u.Prompt),
		Cached:     later.Cached.or(u.Cached),
		Write:      later.Write.or(u.Write),
		Completion: later.Completion.or(u.Completion),
		Reasoning:  later.Reasoning.or(u.Reasoning),
		Source:     later.Source,
		rest:       later.rest,
	}
	if !later.Cached.Known {
		m.Source = u.Source
	}
	if !later.Prompt.Known {
		m.rest = u.rest.or(later.rest) // a 0 that says nothing: see normal
	}
	return m.normal()
}

// Parts splits the reported prompt into disjoint parts, in tokens. When the
// provider did not say what it read from its cache, the whole prompt beyond
// its writes is unreported, and read and miss are 0.
func (u Usage) Parts() (read, write, miss, unreported int64) {
	read, write = u.Cached.N, u.Write.N
	rest := max(0, u.Prompt.N-read-write)
	if u.Cached.Known {
		return read, write, rest, 0
	}
	return read, write, 0, rest
}

// Through returns the tokens up to the end of the answer, as a prompt that goes on from it
// has them: what the answer's message shows of the output stands there, hidden reasoning
// does not. The last token, which ended the answer, was chosen and never read, so no cache
// has it. Of reasoning that the message shows templates may leave out some, unless kept says
// that the provider wants it back; then the count is unknown.
func (u Usage) Through(message []byte, kept bool) Count {
	output := u.Completion.N
	if shown := len(WithoutReasoning(message)) != len(message); !shown {
		output -= u.Reasoning.N
	} else if !kept {
		return Count{}
	}
	if !u.Prompt.Known || output <= 0 {
		return Count{}
	}
	return Tokens(u.Prompt.N + output - 1)
}

// EventUsage reads the usage that one streamed event or one whole response
// carries, wherever its API puts it: at the top, in "message" or "response"
// (Messages, Responses), in a choice (Kimi) or in "x_groq". It does not
// matter what else the event holds. ok is false when it carries none.
func EventUsage(event []byte) (u Usage, ok bool) {
	if !bytes.Contains(event, []byte(`"usage"`)) && !bytes.Contains(event, []byte(`"timings"`)) {
		return Usage{}, false
	}
	members, err := Members(event)
	if err != nil {
		return Usage{}, false
	}
	var raw, timings []byte
	within := func(object []byte) {
		o, _ := membersOf(object)
		if found := o.get("usage"); !isObject(raw) && isObject(found) {
			raw = found
		}
	}
	for _, m := range members {
		if m.Name == "usage" {
			raw = m.Value.Of(event) // the last one, and before any further in
		}
	}
	for _, m := range members {
		switch value := m.Value.Of(event); m.Name {
		case "timings":
			timings = value
		case "message", "response", "x_groq":
			within(value)
		case "choices":
			choices, _ := Elements(value)
			for _, choice := range choices {
				within(choice)
			}
		}
	}
	if !isObject(raw) && !isObject(timings) {
		return Usage{}, false
	}
	return ReadUsage(raw, timings), true
}

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
