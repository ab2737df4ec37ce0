package proxy_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestAnswerInStepsComesBackAsItWasGiven: what a client returns of an answer that took several
// steps, in one piece each, is what it was given, whatever the steps' messages held beside
// texts and calls. The steps stand then, also where the client's bytes shall go up: it has
// none for what it does not see.
func TestAnswerInStepsComesBackAsItWasGiven(t *testing.T) {
	list := `"tool_calls":[{"id":"f:0","type":"function","function":{"name":"list_agents","arguments":"{}"}}]`
	bare := `{"id":"f:0","type":"function","function":{"name":"pick","arguments":""}}`
	for name, messages := range map[string][2]string{
		"a member in both": {
			`{"role":"assistant","content":"a","provider_specific_fields":{"refusal":null},` + list + `}`,
			`{"role":"assistant","content":"b","provider_specific_fields":{"refusal":null}}`,
		},
		"a list in both": {
			`{"role":"assistant","content":null,"x":{"a":[1]},` + list + `}`,
			`{"role":"assistant","content":"b","x":{"a":[1]}}`,
		},
		"a text in both": {
			`{"role":"assistant","content":null,"x":"1",` + list + `}`,
			`{"role":"assistant","content":"b","x":"1"}`,
		},
		"text and parts": {
			`{"role":"assistant","content":"a",` + list + `}`,
			`{"role":"assistant","content":[{"type":"image_url","image_url":{"url":"data:,"}},{"type":"text","text":"b"}]}`,
		},
		"case 42 calls of one id without arguments": {
			`{"role":"assistant","content":"a",` + list + `}`,
			`{"role":"assistant","content":null,"tool_calls":[` + bare + `,` + bare + `]}`,
		},
		"case 67 a call of ours among the client's": {
			`{"role":"assistant","content":"a",` + list + `}`,
			`{"role":"assistant","content":null,` + strings.Replace(list, "]", ","+bare+"]", 1) + `}`,
		},
	} {
		for _, repair := range []string{"on", "off"} {
			t.Run(name+", repair "+repair, func(t *testing.T) {
				settings := []func(*proxy.Config){withTools}
				if repair == "off" {
					settings = append(settings, noRepair)
				}
				var steps []http.HandlerFunc
				for _, m := range messages {
					steps = append(steps, reply(200, "application/json", answers(m, "stop", "")))
				}
				e := newEdge(t, script(append(steps, reply(200, "application/json", saidJSON("yes")))...), settings...)
				first := e.post(body("s", tool("pick"), "", prompt("one")), "X-Agent-Id", "root")
				first.ok(t)
				var got struct {
					Choices []struct{ Message map[string]any }
				}
				if err := json.Unmarshal([]byte(first.body), &got); err != nil {
					t.Fatal(err)
				}
				written, err := json.Marshal(got.Choices[0].Message) // in another order of members
				if err != nil {
					t.Fatal(err)
				}
				echo := string(written)
				next := []string{prompt("one"), echo}
				for range strings.Count(echo, `"pick"`) {
					next = append(next, result("f:0", "r"))
				}
				e.post(body("s", tool("pick"), "", append(next, prompt("two"))...), "X-Agent-Id", "root").ok(t)
				sent := e.sent()
				before, now := sent[1].items(t), sent[2].items(t)
				if len(now) <= len(before) || !slices.Equal(now[:len(before)], before) {
					t.Errorf("the client was given %s\nand returned it: sent %s\nbehind   %s", echo, now, before)
				}
				if calls, results := strings.Count(string(sent[2].body), `"arguments":`), strings.Count(string(sent[2].body), `"role":"tool"`); calls != results {
					t.Errorf("of %d calls %d have results: %s", calls, results, now)
				}
			})
		}
	}
}

// TestCase41AnswerThatSaysNothing: an answer without text and calls that a message extends is
// not sent back: providers refuse it, in every later request as well. Where roles have to
// alternate it stands between the prompt and the message. A retry goes on from the steps.
func TestCase41AnswerThatSaysNothing(t *testing.T) {
	for _, tt := range []struct{ profile, between string }{
		{"generic", ""}, {"vllm-alternating", assistant("")},
	} {
		t.Run(tt.profile, func(t *testing.T) {
			var e *edge
			asked := 0
			e = newEdge(t, func(w http.ResponseWriter, r *http.Request) {
				status, said := 200, saidJSON("yes")
				switch asked++; asked {
				case 3:
					e.must(202, "POST", "/agents/kid/messages", `{"from":"root","message":"late"}`)
					said = answers(`{"role":"assistant","content":null}`, "stop", "")
				case 4:
					said = answers(calling("c1", "list_agents", "{}"), "tool_calls", "")
				case 5:
					status, said = 500, `{"error":{"message":"busy"}}`
				}
				reply(status, "application/json", said)(w, r)
			}, withTools, profile(t, tt.profile))
			e.family()
			kid := []string{"X-Agent-Id", "kid"}
			e.post(body("", "", "", prompt("task")), kid...).ok(t)
			more := body("", "", "", prompt("task"), assistant("yes"), prompt("more"))
			if failed := e.post(more, kid...); failed.StatusCode == http.StatusOK {
				t.Fatalf("the provider failed, and the client got %s", failed.body)
			}
			e.post(more, kid...).ok(t)

			sent := e.sent()
			items := sent[3].items(t)
			items = items[slices.Index(items, assistant("yes"))+1:]
			items = items[slices.Index(items, assistant("yes"))+1:]
			want := []string{prompt("more"), tt.between, prompt(`Agent root sent a message:\nlate`)}
			want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
			if !slices.Equal(items, want) {
				t.Errorf("went on with %s\nwant         %s", items, want)
			}
			if before, again := sent[4].items(t), sent[5].items(t); !slices.Equal(before, again) {
				t.Errorf("a retry goes on with %s\nwant                %s", again, before)
			}
		})
	}
}

// TestCase41ReasoningAlone: an answer that spent its length on reasoning has no content. Going
// up again it has an empty text, whatever its client makes of it.
func TestCase41ReasoningAlone(t *testing.T) {
	for name, returned := range map[string]string{
		"null":     `{"role":"assistant","content":null,"reasoning_content":"r"}`,
		"a text":   `{"role":"assistant","content":"","reasoning_content":"r"}`,
		"left out": "",
	} {
		for _, given := range []string{`{"role":"assistant","reasoning_content":"r"}`, `{"role":"assistant","content":null,"reasoning_content":"r"}`} {
			t.Run(name, func(t *testing.T) {
				e := newEdge(t, script(
					reply(200, "application/json", answers(given, "length", "")),
					reply(200, "application/json", saidJSON("yes")),
				), withTools)
				e.post(body("s", "", "", prompt("one")), "X-Agent-Id", "root").ok(t)
				items := slices.DeleteFunc([]string{prompt("one"), returned, prompt("two")}, func(s string) bool { return s == "" })
				e.post(body("s", "", "", items...), "X-Agent-Id", "root").ok(t)
				got := e.last().items(t)
				if len(got) != 3 || !strings.Contains(got[1], `"content":""`) || !strings.Contains(got[1], `"reasoning_content":"r"`) {
					t.Errorf("went on with %s", got)
				}
			})
		}
	}
}
