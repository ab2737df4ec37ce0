package prefix

import (
	"encoding/json"
	"testing"
)

// Cases 17 and 18: every shape that providers send, with its three states
// (absent, 0, n) kept apart.
func TestReadUsage(t *testing.T) {
	none := Count{}
	tests := []struct {
		name           string
		usage, timings string
		want           Usage
	}{
		{"openai", `{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}`, ``,
			Usage{Prompt: Tokens(2006), Cached: Tokens(1920), Completion: Tokens(300), Reasoning: Tokens(0), Source: "prompt_tokens_details.cached_tokens"}},
		{"openai cold is 0", `{"prompt_tokens":2006,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":0}}`, ``,
			Usage{Prompt: Tokens(2006), Cached: Tokens(0), Completion: Tokens(1), Source: "prompt_tokens_details.cached_tokens"}},
		{"openai with paid writes", `{"prompt_tokens":7521,"completion_tokens":21,"prompt_tokens_details":{"cached_tokens":1500,"cache_write_tokens":6001}}`, ``,
			Usage{Prompt: Tokens(7521), Cached: Tokens(1500), Write: Tokens(6001), Completion: Tokens(21), Source: "prompt_tokens_details.cached_tokens"}},
		{"openrouter", `{"prompt_tokens":10339,"completion_tokens":60,"total_tokens":10399,"prompt_tokens_details":{"cached_tokens":10318,"cache_write_tokens":0},"cost":0.01}`, ``,
			Usage{Prompt: Tokens(10339), Cached: Tokens(10318), Write: Tokens(0), Completion: Tokens(60), Source: "prompt_tokens_details.cached_tokens"}},
		{"vllm without its flag", `{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":null}`, ``,
			Usage{Prompt: Tokens(100), Completion: Tokens(7)}},
		{"details without the count", `{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":null}}`, ``,
			Usage{Prompt: Tokens(100)}},
		{"deepseek", `{"prompt_tokens":100,"completion_tokens":5,"prompt_cache_hit_tokens":80,"prompt_cache_miss_tokens":20}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Completion: Tokens(5), Source: "prompt_cache_hit_tokens"}},
		{"deepseek with nested too", `{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":64},"prompt_cache_hit_tokens":80,"prompt_cache_miss_tokens":20}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(64), Source: "prompt_tokens_details.cached_tokens"}},
		{"nested null, flat known", `{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":null},"prompt_cache_hit_tokens":80}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Source: "prompt_cache_hit_tokens"}},
		{"hit and miss without a total", `{"prompt_cache_hit_tokens":80,"prompt_cache_miss_tokens":20}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Source: "prompt_cache_hit_tokens"}},
		{"only a miss", `{"prompt_tokens":100,"prompt_cache_miss_tokens":20}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Source: "prompt_cache_miss_tokens"}},
		{"kimi", `{"prompt_tokens":100,"completion_tokens":2,"cached_tokens":80}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Completion: Tokens(2), Source: "cached_tokens"}},
		{"messages", `{"input_tokens":20,"cache_read_input_tokens":70,"cache_creation_input_tokens":10,"output_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":10}}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(70), Write: Tokens(10), Completion: Tokens(5), Source: "cache_read_input_tokens", rest: Tokens(20)}},
		{"messages counts beside an inclusive total", `{"prompt_tokens":100,"cache_read_input_tokens":70,"cache_creation_input_tokens":10,"completion_tokens":5}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(70), Write: Tokens(10), Completion: Tokens(5), Source: "cache_read_input_tokens"}},
		{"responses", `{"input_tokens":153,"input_tokens_details":{"cached_tokens":76},"output_tokens":25,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":178}`, ``,
			Usage{Prompt: Tokens(153), Cached: Tokens(76), Completion: Tokens(25), Reasoning: Tokens(0), Source: "input_tokens_details.cached_tokens"}},
		{"llama.cpp timings alone", ``, `{"cache_n":80,"prompt_n":20,"predicted_n":7}`,
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Completion: Tokens(7), Source: "timings.cache_n"}},
		{"llama.cpp usage and timings", `{"prompt_tokens":100,"completion_tokens":7}`, `{"cache_n":0,"prompt_n":100}`,
			Usage{Prompt: Tokens(100), Cached: Tokens(0), Completion: Tokens(7), Source: "timings.cache_n"}},
		{"older llama.cpp", `{"prompt_tokens":100}`, `{"prompt_n":20}`,
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Source: "timings.prompt_n"}},
		{"cached above prompt", `{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":512,"cache_write_tokens":9}}`, ``,
			Usage{Prompt: Tokens(100), Cached: Tokens(100), Write: Tokens(0), Source: "prompt_tokens_details.cached_tokens"}},
		{"wrong types cost only themselves", `{"prompt_tokens":"x","prompt_tokens_details":7,"cached_tokens":-3,"completion_tokens":7.0}`, ``,
			Usage{Completion: Tokens(7)}},
		{"null", `null`, `null`, Usage{}},
		{"nothing", ``, ``, Usage{Cached: none}},
		{"not JSON", `{"prompt_tokens":`, `[`, Usage{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ReadUsage([]byte(tt.usage), []byte(tt.timings)); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestUsageMergeLastReportWins(t *testing.T) {
	read := func(parts ...string) (u Usage) {
		for _, p := range parts {
			u = u.Merge(ReadUsage([]byte(p), nil))
		}
		return u
	}
	tests := []struct {
		name  string
		parts []string
		want  Usage
	}{
		{"continuous usage", []string{`{"prompt_tokens":300,"completion_tokens":1}`, `{"prompt_tokens":300,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":256}}`, `null`},
			Usage{Prompt: Tokens(300), Cached: Tokens(256), Completion: Tokens(9), Source: "prompt_tokens_details.cached_tokens"}},
		{"a later 0 is a report", []string{`{"prompt_tokens":300,"cached_tokens":256}`, `{"cached_tokens":0}`},
			Usage{Prompt: Tokens(300), Cached: Tokens(0), Source: "cached_tokens"}},
		{"messages: start, then output alone", []string{`{"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":1}`, `{"output_tokens":44}`},
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Completion: Tokens(44), Source: "cache_read_input_tokens", rest: Tokens(20)}},
		{"messages: cache counts only in one of them", []string{`{"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":1}`, `{"input_tokens":20,"output_tokens":44}`},
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Completion: Tokens(44), Source: "cache_read_input_tokens", rest: Tokens(20)}},
		{"messages: not counted at the start", []string{`{"input_tokens":0,"output_tokens":0}`, `{"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":44}`},
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Completion: Tokens(44), Source: "cache_read_input_tokens", rest: Tokens(20)}},
		{"messages: all of it cached", []string{`{"input_tokens":0,"output_tokens":1}`, `{"cache_read_input_tokens":80}`},
			Usage{Prompt: Tokens(80), Cached: Tokens(80), Completion: Tokens(1), Source: "cache_read_input_tokens", rest: Tokens(0)}},
		{"messages: no count at the end", []string{`{"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":1}`, `{"input_tokens":0,"output_tokens":44}`},
			Usage{Prompt: Tokens(100), Cached: Tokens(80), Completion: Tokens(44), Source: "cache_read_input_tokens", rest: Tokens(20)}},
		{"no prompt is empty", []string{`{"prompt_tokens":300,"cached_tokens":256}`, `{"prompt_tokens":0,"completion_tokens":0,"cached_tokens":0}`},
			Usage{Prompt: Tokens(300), Cached: Tokens(256), Completion: Tokens(0), Source: "cached_tokens"}},
		{"a server that does not count", []string{`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`},
			Usage{Completion: Tokens(0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(tt.parts...); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// Case 17: usage counts from any event, whatever its choices hold.
func TestEventUsage(t *testing.T) {
	full := Usage{Prompt: Tokens(300), Cached: Tokens(256), Source: "prompt_tokens_details.cached_tokens"}
	const usage = `{"prompt_tokens":300,"prompt_tokens_details":{"cached_tokens":256}}`
	tests := []struct {
		name, event string
		want        Usage
		ok          bool
	}{
		{"empty choices", `{"choices":[],"usage":` + usage + `}`, full, true},
		{"with a delta", `{"choices":[{"index":0,"delta":{}}],"usage":` + usage + `}`, full, true},
		{"with the finish", `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":` + usage + `}`, full, true},
		{"kimi, in the choice", `{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":` + usage + `}]}`, full, true},
		{"groq", `{"choices":[{"delta":{}}],"x_groq":{"id":"r","usage":` + usage + `}}`, full, true},
		{"message_start", `{"type":"message_start","message":{"usage":{"input_tokens":44,"cache_read_input_tokens":256,"output_tokens":1}}}`,
			Usage{Prompt: Tokens(300), Cached: Tokens(256), Completion: Tokens(1), Source: cacheReadSource, rest: Tokens(44)}, true},
		{"response.completed", `{"type":"response.completed","response":{"usage":{"input_tokens":300,"input_tokens_details":{"cached_tokens":256}}}}`,
			Usage{Prompt: Tokens(300), Cached: Tokens(256), Source: "input_tokens_details.cached_tokens"}, true},
		{"timings", `{"choices":[],"timings":{"cache_n":256,"prompt_n":44}}`, Usage{Prompt: Tokens(300), Cached: Tokens(256), Source: "timings.cache_n"}, true},
		{"null usage", `{"choices":[{"delta":{"content":"x"}}],"usage":null}`, Usage{}, false},
		{"the word in a text", `{"choices":[{"delta":{"content":"\"usage\""}}]}`, Usage{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := EventUsage([]byte(tt.event))
			if got != tt.want || ok != tt.ok {
				t.Errorf("got  %+v %v\nwant %+v %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestUsagePartsAreDisjoint(t *testing.T) {
	for _, tt := range []struct {
		usage string
		want  [4]int64 // read, write, miss, unreported
	}{
		{`{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":30}}`, [4]int64{60, 30, 10, 0}},
		{`{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":0}}`, [4]int64{0, 0, 100, 0}},
		{`{"prompt_tokens":100}`, [4]int64{0, 0, 0, 100}},
	} {
		var got [4]int64
		got[0], got[1], got[2], got[3] = ReadUsage([]byte(tt.usage), nil).Parts()
		if got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.usage, got, tt.want)
		}
	}
}

func TestCountMarshalsUnknownAsNull(t *testing.T) {
	raw, err := json.Marshal(map[string]Count{"a": {}, "b": Tokens(0), "c": Tokens(7)})
	if err != nil || string(raw) != `{"a":null,"b":0,"c":7}` {
		t.Errorf("got %s, %v", raw, err)
	}
}

func FuzzUsage(f *testing.F) {
	f.Add([]byte(`{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":80}}`), []byte(`{"cache_n":80,"prompt_n":20}`))
	f.Add([]byte(`{"input_tokens":9007199254740991,"cache_read_input_tokens":1e15}`), []byte(`null`))
	f.Add([]byte(`{"usage":{"cached_tokens":3},"choices":[{"usage":1}]}`), []byte(`{"prompt_n":5}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		one, two := ReadUsage(a, b), ReadUsage(b, a)
		e, _ := EventUsage(a)
		for _, u := range []Usage{one, two, e, one.Merge(two), two.Merge(e)} {
			if u.Prompt.N < 0 || u.Cached.N < 0 || u.Write.N < 0 || u.Completion.N < 0 {
				t.Fatalf("negative: %+v", u)
			}
			if u.Prompt.Known && u.Cached.N+u.Write.N > u.Prompt.N {
				t.Fatalf("parts exceed the prompt: %+v", u)
			}
			if u.Cached.Known != (u.Source != "") {
				t.Fatalf("source and count disagree: %+v", u)
			}
			read, write, miss, unreported := u.Parts()
			if u.Prompt.Known && read+write+miss+unreported != u.Prompt.N {
				t.Fatalf("parts do not add up: %+v", u)
			}
		}
	})
}

// TestUsageThrough: what a prompt that goes on from an answer has of it.
func TestUsageThrough(t *testing.T) {
	plain, thought := []byte(`{"role":"assistant","content":"a"}`), []byte(`{"role":"assistant","content":"a","reasoning_content":"b"}`)
	u := Usage{Prompt: Tokens(100), Completion: Tokens(30)}
	hidden := u
	hidden.Reasoning = Tokens(20)
	for _, tt := range []struct {
		name    string
		usage   Usage
		message []byte
		kept    bool
		want    Count
	}{
		{"an answer", u, plain, false, Tokens(129)},
		{"hidden reasoning", hidden, plain, true, Tokens(109)},
		{"reasoning that is kept", hidden, thought, true, Tokens(129)},
		{"reasoning that may be left out", u, thought, false, Count{}},
		{"no report", Usage{}, plain, false, Count{}},
		{"half a report", Usage{Prompt: Tokens(100)}, plain, false, Count{}},
	} {
		if got := tt.usage.Through(tt.message, tt.kept); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
