package demo

import (
	"errors"
	"strings"
	"testing"
)

func TestPageHasNoColoursInAFile(t *testing.T) {
	var w strings.Builder
	p := NewPage(&w)
	p.field("name", "two words\nand a line")
	if got, want := w.String(), "    name            two words\n                    and a line\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPageIsNotSteeredByModels(t *testing.T) {
	var w strings.Builder
	NewPage(&w).field("name", "a\x1b[2Jb\rc")
	if got, want := w.String(), "    name            a[2Jbc\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPageCutsLongTexts(t *testing.T) {
	var w strings.Builder
	NewPage(&w).field("", strings.Repeat("a long story of many words ", 100))
	lines := strings.Split(strings.TrimSpace(w.String()), "\n")
	if len(lines) != maxExcerpt+1 || strings.TrimSpace(lines[maxExcerpt]) != "…" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	for _, line := range lines {
		if len([]rune(line)) > pageWidth {
			t.Errorf("%q is wider than the page", line)
		}
	}
}

func TestPageKeepsItsFirstError(t *testing.T) {
	p := NewPage(broken{})
	p.Printf("a")
	p.Printf("b")
	if !errors.Is(p.Err(), errBroken) {
		t.Errorf("error %v", p.Err())
	}
}

var errBroken = errors.New("nobody reads")

// broken is a writer without a reader.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
