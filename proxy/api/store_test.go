package api_test

import (
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
	"trunkline/proxy"
)

// Without its store every call says so, and when to come again.
func TestAPIWithoutItsStore(t *testing.T) {
	e := newEdge(t, okay, func(c *proxy.Config) {
		lost := storetest.NewFailing(storetest.Memory(), 1, storetest.Fault{Stays: true})
		c.Agents = agents.New(agents.Config{Store: lost, Holder: "test"})
	})
	for _, c := range [][3]string{
		{"POST", "/agents", `{"id":"r"}`},
		{"GET", "/agents", ""},
		{"GET", "/agents?root=r", ""},
		{"GET", "/agents?parent=r", ""},
		{"GET", "/agents/r", ""},
		{"DELETE", "/agents/r", ""},
		{"POST", "/agents/r/messages", `{"from":"s","message":"m"}`},
		{"POST", "/agents/r/interrupt", `{}`},
		{"POST", "/agents/r/prompts", `{"content":"c"}`},
		{"GET", "/agents/r/wait", ""},
		{"GET", "/agents/r/events", ""},
		{"GET", "/agents/r/transcript", ""},
		{"GET", "/agents/r/prefix", ""},
	} {
		a := e.call(c[0], c[1], c[2])
		if code, _ := apiFailure(t, a); a.StatusCode != 503 || code != "store_unavailable" || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s %s: %s %s, want 503 with Retry-After", c[0], c[1], a.Status, a.body)
		}
	}
}
