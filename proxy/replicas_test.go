package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestConversationsKeepToAReplica: with several replicas each conversation has one of them,
// whose cache has it, and all of them have some. What cannot be told apart stays together.
func TestConversationsKeepToAReplica(t *testing.T) {
	const conversations = 32
	turn := func(k int, more string) string {
		return fmt.Sprintf(`{"model":"m1","messages":[{"role":"system","content":"now: %d"},{"role":"user","content":"ask %d"}%s]}`, len(more), k, more)
	}
	more := `,{"role":"assistant","content":"yes"},{"role":"user","content":"go on"}`
	responses := func(k int, more string) string {
		return fmt.Sprintf(`{"model":"m1","input":"ask %d","previous_response_id":"r%d"}`, k, len(more))
	}
	for name, c := range map[string]struct {
		path   string
		body   func(k int, more string) string
		header func(k int) []string
		spread bool
	}{
		"anonymous":                  {chat, turn, func(int) []string { return nil }, true},
		"messages":                   {"/v1/messages", turn, func(int) []string { return nil }, true},
		"responses":                  {"/v1/responses", responses, func(int) []string { return nil }, false},
		"responses, known by a name": {"/v1/responses", responses, func(k int) []string { return []string{"Thread-Id", fmt.Sprint("t", k)} }, true},
		"not read":                   {"/v1/embeddings", turn, func(int) []string { return nil }, false},
		"agents":                     {chat, turn, func(k int) []string { return []string{"X-Agent-Id", fmt.Sprint("a", k)} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			yes := reply(200, "application/json", saidJSON("yes"))
			other := newEdge(t, yes)
			other.upstream.Config.SetKeepAlivesEnabled(false)
			e := newEdge(t, yes, func(c *proxy.Config) { c.Upstreams = append(c.Upstreams, other.upstream.URL) })
			here, there := 0, 0
			for k := range conversations {
				var was int
				for i, more := range []string{"", more, more + more} {
					before := len(e.sent())
					e.send(e.request("POST", c.path, strings.NewReader(c.body(k, more)), c.header(k)...)).ok(t)
					now := len(e.sent()) - before
					if i > 0 && now != was {
						t.Errorf("conversation %d changes its replica", k)
					}
					was = now
				}
				here, there = here+was, there+1-was
			}
			if c.spread != (here > 0 && there > 0) {
				t.Errorf("%d conversations with one replica, %d with the other", here, there)
			}
		})
	}
}
