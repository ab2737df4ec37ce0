package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A list stays short enough to be read, and says what it leaves out.
func TestListIsBounded(t *testing.T) {
	var all []Listed
	for i := range 250 {
		all = append(all, Listed{ID: fmt.Sprint("a", i), Status: "idle", Depth: 1})
	}
	for n, last := range map[int]string{
		200: "a199 [idle] — (no label)",
		201: "(1 more not listed)",
		250: "(50 more not listed)",
	} {
		lines := strings.Split(List(slices.Clone(all[:n]), Children), "\n")
		if got := lines[len(lines)-1]; got != last || len(lines) > 201 || lines[199] != "a199 [idle] — (no label)" {
			t.Errorf("of %d agents: %d lines, the last is %q, want %q", n, len(lines), got, last)
		}
	}
}
