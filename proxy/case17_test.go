package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
)

// TestCase17: usage counts from whatever event it stands in, also when it says 0; the last
// that says something wins, and the bytes pass.
func TestCase17(t *testing.T) {
	text := delta(`{"role":"assistant","content":"yes"}`, "")
	with := func(choices string, prompt, cached int) string {
		return strings.Replace(usage(prompt, cached), `"choices":[]`, `"choices":[`+choices+`]`, 1)
	}
	null := strings.Replace(text, `"choices"`, `"usage":null,"choices"`, 1)
	for name, c := range map[string]struct {
		events string
		cached prefix.Count
	}{
		"alone":                      {text + delta(`{}`, "stop") + usage(300, 256) + done, prefix.Tokens(256)},
		"with choices":               {text + delta(`{}`, "stop") + with(`{"index":0,"delta":{}}`, 300, 256) + done, prefix.Tokens(256)},
		"with the finish":            {text + with(`{"index":0,"delta":{},"finish_reason":"stop"}`, 300, 256) + done, prefix.Tokens(256)},
		"nothing cached":             {text + delta(`{}`, "stop") + usage(300, 0) + done, prefix.Tokens(0)},
		"counting up":                {text + with(`{"index":0,"delta":{}}`, 300, 0) + delta(`{}`, "stop") + usage(300, 256) + done, prefix.Tokens(256)},
		"null in every other event":  {null + delta(`{}`, "stop") + usage(300, 256) + null + done, prefix.Tokens(256)},
		"with the first text":        {with(`{"index":0,"delta":{"role":"assistant","content":"yes"}}`, 300, 256) + delta(`{}`, "stop") + done, prefix.Tokens(256)},
		"without choices altogether": {text + delta(`{}`, "stop") + strings.Replace(usage(300, 256), `"choices":[],`, "", 1) + done, prefix.Tokens(256)},
		"in a choice":                {text + chunk(`{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":300,"cached_tokens":256}}`) + done, prefix.Tokens(256)},
		"of groq":                    {text + strings.Replace(delta(`{}`, "stop"), `"choices"`, `"x_groq":{"usage":{"prompt_tokens":300,"prompt_tokens_details":{"cached_tokens":256}}},"choices"`, 1) + done, prefix.Tokens(256)},
		"in parts":                   {text + usage(300, 256) + delta(`{}`, "stop") + `data: {"choices":[],"usage":{"prompt_tokens":300,"completion_tokens":2}}` + "\n\n" + done, prefix.Tokens(256)},
		"and nothing more":           {text + usage(300, 256) + delta(`{}`, "stop") + `data: {"choices":[],"usage":{}}` + "\n\n" + done, prefix.Tokens(256)},
		"none":                       {text + delta(`{}`, "stop") + done, prefix.Count{}},
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				steps := make(chan proxy.StepInfo, 1)
				e := newEdge(t, stream(c.events), measuring(steps))
				if a := e.post(askStream, who...).ok(t); a.body != c.events {
					t.Errorf("the client got\n%s", a.body)
				}
				info := <-steps
				if u := info.Usage; u.Cached != c.cached || u.Prompt.Known != c.cached.Known || u.Prompt.Known && u.Prompt.N != 300 {
					t.Errorf("read %+v, want %+v of 300", u, c.cached)
				}
				if (info.Reuse.Cause == prefix.CauseUnreported) && c.cached.Known {
					t.Errorf("counted as not reported: %+v", info.Reuse)
				}
			})
		})
	}
}

// TestCase18: the shapes in which providers report what was cached come to the same account,
// in a stream and in one piece. What they do not say is not 0.
func TestCase18(t *testing.T) {
	for shape, want := range map[string]struct{ prompt, cached prefix.Count }{
		`"usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":80}}`:                                                              {prefix.Tokens(100), prefix.Tokens(80)},
		`"usage":{"prompt_tokens":100,"prompt_cache_hit_tokens":80,"prompt_cache_miss_tokens":20}`:                                                {prefix.Tokens(100), prefix.Tokens(80)},
		`"usage":{"prompt_tokens":100,"cached_tokens":80}`:                                                                                        {prefix.Tokens(100), prefix.Tokens(80)},
		`"usage":{"prompt_tokens":100,"prompt_tokens_details":null}`:                                                                              {prefix.Tokens(100), prefix.Count{}},
		`"usage":{"prompt_tokens":100,"prompt_tokens_details":{}}`:                                                                                {prefix.Tokens(100), prefix.Count{}},
		`"usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":null}}`:                                                            {prefix.Tokens(100), prefix.Count{}},
		`"usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":0}}`:                                                               {prefix.Tokens(100), prefix.Tokens(0)},
		`"usage":{"prompt_tokens":100,"completion_tokens":1},"timings":{"cache_n":80,"prompt_n":20}`:                                              {prefix.Tokens(100), prefix.Tokens(80)},
		`"timings":{"cache_n":80,"prompt_n":20}`:                                                                                                  {prefix.Tokens(100), prefix.Tokens(80)},
		`"usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":80},"cached_tokens":70,"prompt_cache_hit_tokens":60}`:              {prefix.Tokens(100), prefix.Tokens(80)},
		`"usage":{"input_tokens":20,"output_tokens":1,"cache_read_input_tokens":80,"cache_creation_input_tokens":0}`:                              {prefix.Tokens(100), prefix.Tokens(80)},
		`"usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":180}}`:                                                             {prefix.Tokens(100), prefix.Tokens(100)},
		`"usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"cached_tokens":7,"audio":null}}`: {prefix.Tokens(100), prefix.Tokens(80)},
	} {
		for kind, handler := range map[string]struct {
			ask      string
			provider string
		}{
			"stream": {askStream, delta(`{"role":"assistant","content":"yes"}`, "") + delta(`{}`, "stop") + `data: {"id":"x1","choices":[],` + shape + "}\n\n" + done},
			"whole":  {ask, answers(assistant("yes"), "stop", ","+shape)},
		} {
			everyone(t, func(t *testing.T, who []string) {
				steps := make(chan proxy.StepInfo, 1)
				provider := stream(handler.provider)
				if kind == "whole" {
					provider = reply(200, "application/json", handler.provider)
				}
				e := newEdge(t, provider, measuring(steps))
				if a := e.post(handler.ask, who...).ok(t); a.body != handler.provider {
					t.Errorf("the client got\n%s", a.body)
				}
				if u := (<-steps).Usage; u.Prompt != want.prompt || u.Cached != want.cached {
					t.Errorf("%s, %s: read %v of %v, want %v of %v", kind, shape, counted(u.Cached), counted(u.Prompt), counted(want.cached), counted(want.prompt))
				}
			})
		}
	}
}

func counted(c prefix.Count) string {
	if !c.Known {
		return "unknown"
	}
	return fmt.Sprint(c.N)
}
