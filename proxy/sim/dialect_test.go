package sim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

func TestDialects(t *testing.T) {
	say := func(sim.Request) sim.Answer { return sim.Answer{Text: "1234"} } // a marker, a token and the end
	b := body("", msg("user", strings.Repeat("x", 4*97)))                   // 97 tokens and 4 markers: 101
	for d, want := range map[sim.Dialect]string{
		sim.OpenAI:    `"usage":{"prompt_tokens":101,"completion_tokens":3,"total_tokens":104,"prompt_tokens_details":{"cached_tokens":96}}}`,
		sim.DeepSeek:  `"usage":{"prompt_tokens":101,"completion_tokens":3,"total_tokens":104,"prompt_cache_hit_tokens":96,"prompt_cache_miss_tokens":5}}`,
		sim.Flat:      `"usage":{"prompt_tokens":101,"completion_tokens":3,"total_tokens":104,"cached_tokens":96}}`,
		sim.Anthropic: `"usage":{"prompt_tokens":101,"completion_tokens":3,"total_tokens":104,"cache_read_input_tokens":96,"cache_creation_input_tokens":0}}`,
		sim.LlamaCpp:  `"usage":{"prompt_tokens":101,"completion_tokens":3,"total_tokens":104},"timings":{"cache_n":96,"prompt_n":5,"predicted_n":3}}`,
		sim.None:      `"usage":{"prompt_tokens":101,"completion_tokens":3,"total_tokens":104}}`,
	} {
		t.Run(string(d), func(t *testing.T) {
			_, _, url := dial(t, sim.Config{Dialect: d, Script: say})
			url += "/v1/chat/completions"
			post(t, url, b)
			if _, got := post(t, url, b); !strings.HasSuffix(got, want) {
				t.Errorf("whole answer ends\n %s, want\n %s", got, want)
			}
			_, got := post(t, url, strings.Replace(b, `{`, `{"stream":true,"stream_options":{"include_usage":true},`, 1))
			if !strings.HasSuffix(got, `"choices":[],`+want+"\n\ndata: [DONE]\n\n") {
				t.Errorf("stream ends\n %s, want\n %s", got, want)
			}
		})
	}
}

func TestDialectColdIsZeroNotAbsent(t *testing.T) {
	for _, d := range sim.Dialects() {
		_, _, url := dial(t, sim.Config{Dialect: d})
		_, got := post(t, url+"/v1/chat/completions", body("", msg("user", words("x", 1000))))
		if zero := strings.Contains(got, `tokens":0`) || strings.Contains(got, `cache_n":0`); zero != (d != sim.None) {
			t.Errorf("%s: a cold answer is %s", d, got)
		}
	}
}

func TestUsageInStreams(t *testing.T) {
	for name, tt := range map[string]struct {
		options  string
		always   bool
		chunk    bool // a usage chunk stands before [DONE]
		nullElse bool // the other chunks have a null usage
	}{
		"not asked":     {},
		"declined":      {options: `"stream_options":{"include_usage":false},`},
		"other options": {options: `"stream_options":{"include_obfuscation":false},`},
		"asked":         {options: `"stream_options":{"include_usage":true},`, chunk: true, nullElse: true},
		"always":        {always: true, chunk: true, nullElse: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, url := dial(t, sim.Config{UsageAlways: tt.always})
			_, got := post(t, url+"/v1/chat/completions", `{"stream":true,`+tt.options+`"model":"m","messages":[{"role":"user","content":"hi"}]}`)
			frames := strings.Split(strings.TrimSuffix(got, "\n\n"), "\n\n")
			last := frames[len(frames)-2]
			if usage := strings.Contains(last, `"choices":[],"usage":{`); usage != tt.chunk {
				t.Errorf("the chunk before [DONE] is %s", last)
			}
			if null := strings.Contains(frames[0], `"usage":null`); null != tt.nullElse {
				t.Errorf("the first chunk is %s", frames[0])
			}
		})
	}
}

func TestTimingsWithoutUsageStandOnTheFinish(t *testing.T) {
	_, _, url := dial(t, sim.Config{Dialect: sim.LlamaCpp})
	_, got := post(t, url+"/v1/chat/completions", `{"stream":true,"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	frames := strings.Split(got, "\n\n")
	var chunk struct {
		Choices []struct {
			Finish string `json:"finish_reason"`
		}
		Timings *struct {
			Prompt int `json:"prompt_n"`
		}
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(frames[len(frames)-3], "data: ")), &chunk); err != nil {
		t.Fatal(err)
	}
	if chunk.Choices[0].Finish != "stop" || chunk.Timings == nil || chunk.Timings.Prompt == 0 {
		t.Errorf("the finish chunk is %+v", chunk)
	}
}
