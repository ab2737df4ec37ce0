package top

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// length is how many columns of a terminal a text takes.
func length(text string) int { return displaywidth.String(text) }

// clip ends a text that is longer than a width with an ellipsis.
func clip(text string, width int) string { return displaywidth.TruncateString(text, width, "…") }

// pad clips or fills a text to a width.
func pad(text string, width int) string {
	text = clip(text, max(1, width))
	return text + strings.Repeat(" ", max(0, width-length(text)))
}

// cut ends a line of the picture where the screen does. Colours take no room, and those that
// follow are kept, so that none is left on.
func cut(line string, width int) string {
	return strings.TrimRight(displaywidth.Options{ControlSequences: true}.TruncateString(line, width, ""), " ")
}
