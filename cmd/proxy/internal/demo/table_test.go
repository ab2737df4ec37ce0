package demo

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"trunkline/prefix"
)

func TestTableTellsUnreportedFromZero(t *testing.T) {
	silent := row{"silent", prefix.Usage{Prompt: prefix.Tokens(8022)}, 815 * time.Millisecond}
	if got, want := strings.Join(silent.cells(), "|"), "silent|8,022|–|–|–|815 ms"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	cold := row{"cold", prefix.Usage{Prompt: prefix.Tokens(1000), Cached: prefix.Tokens(0)}, 0}
	if got, want := strings.Join(cold.cells(), "|"), "cold|1,000|0|1,000|0.0 %|–"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTableStaysAligned(t *testing.T) {
	rows := [][]string{
		header(),
		row{"silent", prefix.Usage{}, 0}.cells(),
		row{"large", prefix.Usage{Prompt: prefix.Tokens(12_345_678), Cached: prefix.Tokens(12_000_000)}, 61 * time.Second}.cells(),
	}
	lines := align(rows)
	for _, line := range lines {
		if got, want := utf8.RuneCountInString(line), utf8.RuneCountInString(lines[0]); got != want {
			t.Errorf("%d columns, want %d: %q", got, want, line)
		}
	}
	if !strings.HasSuffix(lines[2], "12,345,678  12,000,000   345,678  97.2 %      61.00 s") {
		t.Errorf("the large row is %q", lines[2])
	}
}
