package sim_test

import (
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// A fork carries its parent's history; its own mark tells it apart.
func TestSequencePerConversation(t *testing.T) {
	_, _, url := dial(t, sim.Config{
		Conversation: sim.Marker("PARENT", "CHILD"),
		Script: sim.Sequence(map[string][]sim.Answer{
			"PARENT": {{Text: "p0"}, {Text: "p1"}},
			"CHILD":  {{Text: "c0"}},
		}),
	})
	parent := []string{msg("user", "PARENT go"), msg("assistant", "p0")}
	for i, tt := range []struct {
		messages []string
		want     string
	}{
		{parent[:1], `"content":"p0"`},
		{append(parent[:2:2], msg("user", "CHILD task")), `"content":"c0"`},
		{append(parent[:2:2], msg("user", "more")), `"content":"p1"`},
		{append(parent[:2:2], msg("user", "CHILD task")), `script_exhausted`},
		{[]string{msg("user", "nobody")}, `script_exhausted`},
	} {
		if _, got := post(t, url+"/v1/chat/completions", body("", tt.messages...)); !strings.Contains(got, tt.want) {
			t.Errorf("request %d: %s, want %s", i, got, tt.want)
		}
	}
}
