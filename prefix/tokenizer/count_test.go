package tokenizer

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{"": 0, "hello": 1, "hello world": 2, strings.Repeat(" word", 100): 100} {
		if n, err := Count(text); err != nil || n != want {
			t.Errorf("Count(%.20q) = %d, %v, want %d", text, n, err, want)
		}
	}
}
