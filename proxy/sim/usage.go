package sim

// Dialect is the shape in which usage tells what was cached.
type Dialect string

const (
	OpenAI    Dialect = "openai"    // prompt_tokens_details.cached_tokens
	DeepSeek  Dialect = "deepseek"  // prompt_cache_hit_tokens, prompt_cache_miss_tokens
	Flat      Dialect = "flat"      // cached_tokens
	Anthropic Dialect = "anthropic" // cache_read_input_tokens, cache_creation_input_tokens
	LlamaCpp  Dialect = "llamacpp"  // timings.cache_n, timings.prompt_n beside usage
	None      Dialect = "none"      // usage without a word about the cache
)

// Dialects lists all dialects.
func Dialects() []Dialect {
	return []Dialect{OpenAI, DeepSeek, Flat, Anthropic, LlamaCpp, None}
}

// counts are one request's tokens.
type counts struct {
	prompt     int // all of the prompt, cached or not
	cached     int
	written    int // prompt tokens that the cache holds since this request
	completion int
}

type usage struct {
	Prompt        int      `json:"prompt_tokens"`
	Completion    int      `json:"completion_tokens"`
	Total         int      `json:"total_tokens"`
	Details       *details `json:"prompt_tokens_details,omitempty"`
	Hit           *int     `json:"prompt_cache_hit_tokens,omitempty"`
	Miss          *int     `json:"prompt_cache_miss_tokens,omitempty"`
	Cached        *int     `json:"cached_tokens,omitempty"`
	CacheRead     *int     `json:"cache_read_input_tokens,omitempty"`
	CacheCreation *int     `json:"cache_creation_input_tokens,omitempty"`
}

type details struct {
	Cached int `json:"cached_tokens"`
}

type timings struct {
	Cached    int `json:"cache_n"`
	Prompt    int `json:"prompt_n"` // computed, without the cached
	Predicted int `json:"predicted_n"`
}

func (d Dialect) usage(c counts) usage {
	u := usage{Prompt: c.prompt, Completion: c.completion, Total: c.prompt + c.completion}
	switch d {
	case OpenAI:
		u.Details = &details{c.cached}
	case DeepSeek:
		u.Hit, u.Miss = new(c.cached), new(c.prompt-c.cached)
	case Flat:
		u.Cached = new(c.cached)
	case Anthropic:
		u.CacheRead, u.CacheCreation = new(c.cached), new(c.written)
	}
	return u
}

// timings is nil in every dialect but llama.cpp's.
func (d Dialect) timings(c counts) *timings {
	if d != LlamaCpp {
		return nil
	}
	return &timings{Cached: c.cached, Prompt: c.prompt - c.cached, Predicted: c.completion}
}
