package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trunkline/proxy"
	"trunkline/tools"
)

// asksFor is a provider whose every answer calls one tool of the client's.
func asksFor(tool string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"%s","arguments":"{ \"at\" : 1 }"}}]},"finish_reason":"tool_calls"}]}`, tool)
	}
}

// The items of a transcript are the messages of the last request, byte for byte, and the
// answer to it, with who put each there.
func TestAPITranscript(t *testing.T) {
	e := newEdge(t, okay, func(c *proxy.Config) { c.Tools = []string{tools.SendMessage} })
	const root = `{"model":"m","messages":[{"role":"system","content":"Be  brief <&>"},{"content":"hello \u00e9","role":"user"}]}`
	if a := e.post(root, "X-Agent-Id", "r"); a.StatusCode != 200 {
		t.Fatal(a.body)
	}
	e.must(201, "POST", "/agents", `{"id":"c","parent_id":"r"}`)
	message := e.must(202, "POST", "/agents/c/messages", `{"from":"r","message":"mind <this>"}`)
	e.turn("c")

	var origins, items []string
	for cursor := ""; ; {
		a := e.call("GET", "/agents/c/transcript?limit=2&cursor="+cursor, "")
		var page struct {
			Data []struct {
				Index     int
				Origin    string
				Inherited bool
				Hidden    bool
				MessageID string `json:"message_id"`
				Source    json.RawMessage
				Item      json.RawMessage
			}
			Next string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(a.body), &page); err != nil {
			t.Fatalf("%v in %s", err, a.body)
		}
		for _, item := range page.Data {
			if item.Index != len(items) {
				t.Errorf("item %d has index %d", len(items), item.Index)
			}
			if item.Origin == "message" && (item.MessageID != message["message_id"] || !item.Hidden || !strings.Contains(string(item.Source), `"senderSessionId":"r"`)) {
				t.Errorf("the message is %+v, want hidden, with id %v and its source", item, message["message_id"])
			}
			origin := item.Origin
			if item.Inherited {
				origin = "inherited " + origin
			}
			origins, items = append(origins, origin), append(items, string(item.Item))
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if want := []string{"client", "inherited client", "inherited answer", "task", "message", "answer"}; !slices.Equal(origins, want) {
		t.Errorf("origins %v, want %v", origins, want)
	}
	up := e.sent()
	var request struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(up[len(up)-1], &request); err != nil {
		t.Fatal(err)
	}
	for i, m := range request.Messages {
		if items[i] != string(m) {
			t.Errorf("item %d is\n%s\nand went up as\n%s", i, items[i], m)
		}
	}
	if len(items) != len(request.Messages)+1 || !strings.Contains(items[len(items)-1], "fine") {
		t.Errorf("%d items of %d messages and an answer; the last is %s", len(items), len(request.Messages), items[len(items)-1])
	}
}

// The last request is explained: what it shared, where it left that, what was reported.
func TestAPIPrefix(t *testing.T) {
	e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"fine"},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":8}}}`)
	})
	e.turn("r")
	got := e.must(200, "GET", "/agents/r/prefix", "")
	if got["relation"] != "root" || got["break"].(map[string]any)["cause"] != "cold_start" || got["shared_bytes"] != 0.0 {
		t.Errorf("a first request: %v, want a cold start", got)
	}
	e.post(`{"model":"m","messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"fine"},{"role":"user","content":"more"}]}`, "X-Agent-Id", "r")
	got = e.must(200, "GET", "/agents/r/prefix", "")
	if got["relation"] != "continuation" || got["break"].(map[string]any)["cause"] != "none" || got["shared_bytes"].(float64) <= 0 {
		t.Errorf("a continuation: %v, want no break", got)
	}
	if tokens := got["tokens"].(map[string]any); tokens["prompt"] != 20.0 || tokens["reported"] != 8.0 {
		t.Errorf("tokens %v, want 20 with 8 read from the cache", tokens)
	}
	reuse := e.must(200, "GET", "/agents/r", "")["reuse"].(map[string]any)
	if reuse["prompt_tokens"] != 20.0 || reuse["cached_tokens"] != 8.0 {
		t.Errorf("reuse %v in the state, want 8 of 20", reuse)
	}
}
