package proxy_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"trunkline/proxy"
)

// bodies are requests that decoding and encoding would change, or that tidying would.
var bodies = map[string]string{
	"case 1, key order":     `{"model":"m1","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"pick","parameters":{"type":"object","required":["z","a"],"properties":{"z":{"type":"string","description":"d"},"m":{"type":"number"},"a":{"enum":["q","b"]},"k":{},"b":{}}}}}]}`,
	"case 2, extra fields":  `{"model":"m1","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"","reasoning_content":"r","reasoning_details":[{"type":"t","text":"r"}]},{"role":"user","content":"hi"}]}`,
	"case 12, blanks":       "{ \"model\" :\"m1\",\r\n\t\"messages\":[ {\"role\":\"user\",\"content\":\"q\"} , {\"role\":\"assistant\",\"content\":\"ok \\n\\n\",\"tool_calls\":[{\"id\":\"a1\",\"type\":\"function\",\"function\":{\"name\":\"pick\",\"arguments\":\"{ \\\"b\\\" : 2.50,\\\"a\\\":\\\"é\\\"}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a1\",\"content\":\" x \"} ] }\n\n",
	"case 37, surrogates":   `{"model":"m1","messages":[{"role":"user","content":"half \ud83d end \udc00 \ud83d\ude00 \u0000"}]}`,
	"case 37, broken UTF-8": "{\"model\":\"m1\",\"messages\":[{\"role\":\"user\",\"content\":\"a\xff\xc3b\xed\xa0\x80\"}]}",
	"case 37, numbers":      `{"model":"m1","temperature":1.0,"seed":123456789012345678901234567890,"top_p":1e-400,"x":-0.0,"messages":[{"role":"user","content":"hi"}]}`,
	"case 37, escapes":      `{"mod\u0065l":"m1","messages":[{"r\u006fle":"user","content":"\/\u003c\u2028<>&"}]}`,
	"case 39, unknown":      `{"model":"m1","chat_template_kwargs":{"enable_thinking":false},"reasoning_effort":"high","thinking":{"type":"enabled"},"cache_salt":"s","provider":{"order":["a"]},"x_vendor":{"a":[1]},"messages":[{"role":"user","content":"hi","x":{"b":1,"a":2}}],"tools":[{"type":"function","x":1,"function":{"name":"pick","y":{"b":1,"a":2}}},{"type":"web_search"}]}`,
	"case 41, three things": `{"model":"m1","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[]},{"role":"assistant","content":""},{"role":"assistant"},{"role":"user","content":"hi"}]}`,
	"case 42, equal ids":    `{"model":"m1","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"f:0","type":"function","function":{"name":"a","arguments":"{}"}},{"id":"f:0","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"f:0","content":"1"},{"role":"tool","tool_call_id":"f:0","content":"2"}]}`,
	"case 43, no result":    `{"model":"m1","messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"a1","type":"function","function":{"name":"a","arguments":"{}"}},{"id":"a2","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a1","content":"1"},{"role":"user","content":"go on"}]}`,
	"case 43, no call":      `{"model":"m1","messages":[{"role":"tool","tool_call_id":"a1","content":"1"},{"role":"user","content":"go on"}]}`,
	"case 44, roles":        `{"model":"m1","messages":[{"role":"developer","content":"d"},{"role":"user","name":"agent-b","content":"t"},{"role":"odd","content":"t"}]}`,
	"nested repeats":        `{"model":"m1","messages":[{"role":"user","content":"hi","a":1,"a":2}],"metadata":{"k":1,"k":2}}`,
	"empty lists":           `{"model":"m1","messages":[],"tools":[]}`,
	"odd types":             `{"model":7,"messages":{"a":1},"tools":"t","stream":"yes"}`,
	"no messages":           `{}`,
	"null messages":         ` {"messages":null}`,
}

// TestBytesGoUpUnchanged sends bodies that need no edit, as both kinds of clients.
func TestBytesGoUpUnchanged(t *testing.T) {
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
				a := e.post(body, who...)
				if got := e.one(); string(got.body) != body || a.body != saidJSON("yes") {
					t.Errorf("status %d\nsent     %q\nupstream %q\nanswer   %q", a.StatusCode, body, got.body, a.body)
				}
			})
		})
	}
}

// TestCase01 sends one body 200 times, each identified time as another agent: unedited, and
// with tools and the usage option spliced in, there is one distinct body upstream.
func TestCase01(t *testing.T) {
	body := strings.Replace(bodies["case 1, key order"], `{"model"`, `{"stream":true,"model"`, 1)
	for name, change := range map[string]func(*proxy.Config){
		"unedited": func(*proxy.Config) {},
		"tools":    withTools,
		"usage":    func(c *proxy.Config) { withTools(c); c.AskUsage = proxy.AskIdentified },
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				e := newEdge(t, stream(said("yes")...), change)
				seen := map[[32]byte]string{}
				for i := range 200 {
					var header []string
					if who != nil {
						header = []string{"X-Agent-Id", fmt.Sprint("a", i)}
					}
					if a := e.post(body, header...); a.StatusCode != 200 {
						t.Fatalf("status %d: %s", a.StatusCode, a.body)
					}
				}
				for _, r := range e.sent() {
					seen[sha256.Sum256(r.body)] = string(r.body)
				}
				if len(seen) != 1 || len(e.sent()) != 200 {
					t.Fatalf("%d requests with %d distinct bodies", len(e.sent()), len(seen))
				}
				for _, sent := range seen {
					if edited := who != nil && name != "unedited"; edited == (sent == body) {
						t.Errorf("edited: %v, upstream got %s", edited, sent)
					}
				}
			})
		})
	}
}

// TestCase02 re-sends a history with extra fields 50 times as the middle of a growing one:
// each request begins with the one before.
func TestCase02(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")), withTools)
		items := `{"role":"user","content":"q"},{"role":"assistant","content":"","reasoning_content":"r","reasoning_details":[{"type":"t","text":"r"}]},{"role":"user","content":"hi"}`
		last := ""
		for i := range 50 {
			if a := e.post(`{"model":"m1","messages":[`+items+`]}`, who...); a.StatusCode != 200 {
				t.Fatalf("status %d: %s", a.StatusCode, a.body)
			}
			got := string(e.sent()[i].body)
			history := got[strings.Index(got, `"messages":`):]
			history = history[:strings.LastIndex(history, `"content":"hi`)]
			if !strings.HasPrefix(history, last) {
				t.Fatalf("request %d\nhas  %s\nwant %s", i, history, last)
			}
			last = history
			items += fmt.Sprintf(`,{"role":"assistant","content":"yes"},{"role":"user","content":"hi %d"}`, i)
		}
	})
}

// TestBadJSON checks that a body that two readers could read differently, or that none
// could, is refused with the offset, before anything is sent.
func TestBadJSON(t *testing.T) {
	for body, want := range map[string]string{
		``:                                   "invalid_json byte 0",
		`[]`:                                 "invalid_json byte 0",
		`null`:                               "invalid_json byte 0",
		`{"model":"m1",}`:                    "invalid_json byte 14",
		`{"messages":[1 2]}`:                 "invalid_json byte 15",
		`{"a":NaN}`:                          "invalid_json byte 5",
		`{"a":Infinity}`:                     "invalid_json byte 5",
		`{"a":01}`:                           "invalid_json byte 6",
		`{"a":+1}`:                           "invalid_json byte 5",
		`{"a":1}{}`:                          "invalid_json byte 7",
		`{'a':1}`:                            "invalid_json byte 1",
		"{\"a\":\"b\nc\"}":                   "invalid_json byte 7",
		`{"a":"\x"}`:                         "invalid_json byte",
		"\xef\xbb\xbf{}":                     "invalid_json byte 0",
		`{"model":"a","model":1}`:            "duplicate_key byte 13",
		`{"tools":[],"to\u006fls":[]}`:       "duplicate_key byte 12",
		`{"messages":[],"m\u0065ssages":[]}`: "duplicate_key byte 15",
		`{"stream":false,"stream":true}`:     "duplicate_key byte 16",
	} {
		everyone(t, func(t *testing.T, who []string) {
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
			a := e.post(body, who...)
			code, at, _ := strings.Cut(want, " ")
			if a.StatusCode != 400 || a.Header.Get("X-Trunkline-Error") != code || !strings.Contains(a.body, at) || len(e.sent()) != 0 {
				t.Errorf("%s: status %d, body %s, %d requests upstream", body, a.StatusCode, a.body, len(e.sent()))
			}
		})
	}
}

// TestOtherRoutesAreNotEdited checks that responses and messages pass with what would be
// refused or edited in a chat, for an agent's client too.
func TestOtherRoutesAreNotEdited(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		for _, path := range []string{"/v1/responses", "/v1/messages", "/v1/embeddings", "/v1/messages/count_tokens"} {
			e := newEdge(t, reply(200, "application/json", "{}"), withTools)
			body := `{"model":"m1","model":"m2","input":"hi \ud83d","messages":[],"messages":[],"tools":[], "stream":true}`
			a := e.send(e.request("POST", path, strings.NewReader(body), who...))
			if got := e.one(); a.StatusCode != 200 || string(got.body) != body {
				t.Errorf("%s: status %d, upstream got %s", path, a.StatusCode, got.body)
			}
		}
	})
}
