package tools

import (
	"slices"
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	ids := []string{"agent-1", "agent-2", "agent-10", "researcher", "root:researcher", "x"}
	for _, tt := range []struct {
		target string
		want   []string
	}{
		{"agent-l", []string{"agent-1", "agent-2", "agent-10"}},
		{"Agent-2", []string{"agent-2", "agent-1", "agent-10"}},
		{"reasercher", []string{"researcher"}},
		{"researcher", []string{"researcher", "root:researcher"}},
		{"rese", []string{"researcher"}},
		{"zzz", []string{}},
		{"", []string{}},
		{strings.Repeat("a", 500), []string{}},
	} {
		if got := Near(tt.target, ids); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q", tt.target, got)
		}
	}
}
