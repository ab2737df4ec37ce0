package e2e

import (
	"encoding/json"
	"testing"
)

// app is an application that talks to models through a client library: one
// conversation an agent, and two tools that it runs itself: look, and delegate,
// which runs a child's whole turn within the parent's.
type app interface {
	// ask takes one turn, to its last answer. What goes wrong in the client fails
	// the test.
	ask(t *testing.T, turn turn) reply
}

// turn is a person's prompt in one agent's conversation.
type turn struct {
	URL        string `json:"url"`
	Way        string `json:"way"` // how the library is used
	Name       string `json:"name"`
	Identified bool   `json:"identified"` // as an agent of that name
	Parent     string `json:"parent,omitempty"`
	System     string `json:"system,omitempty"`
	First      bool   `json:"first"` // of a new conversation
	Prompt     string `json:"prompt"`
}

// reply is what the application has when the turn is over.
type reply struct {
	Text     string          `json:"text"`
	Messages json.RawMessage `json:"messages"` // the conversation, as the library keeps it
	Error    string          `json:"error"`
}

// everyApp runs the test for each library in each of its ways.
func everyApp(t *testing.T, test func(t *testing.T, a app, way string)) {
	for _, library := range []struct {
		name  string
		start func(*testing.T) app
		ways  []string
	}{
		{"node", startNodeApp, []string{"create", "stream", "run", "run-stream"}},
		{"go", startGoApp, []string{"create", "stream"}},
	} {
		t.Run(library.name, func(t *testing.T) {
			a := library.start(t)
			for _, way := range library.ways {
				t.Run(way, func(t *testing.T) { test(t, a, way) })
			}
		})
	}
}
