package top

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

func length(text string) int { return utf8.RuneCountInString(text) }

func clip(text string, width int) string {
	if length(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}

// pad clips or fills a text to a width.
func pad(text string, width int) string {
	text = clip(text, max(1, width))
	return text + strings.Repeat(" ", max(0, width-length(text)))
}

// cut ends a line of the picture where the screen does. Colours take no room, and those that
// follow are kept, so that none is left on.
func cut(line string, width int) string {
	var out strings.Builder
	escape := false
	for _, r := range line {
		switch {
		case r == '\x1b':
			escape = true
		case escape:
			escape = r != 'm'
		case width == 0:
			continue
		default:
			width--
			out.WriteRune(r)
			continue
		}
		out.WriteRune(r)
	}
	return strings.TrimRight(out.String(), " ")
}
