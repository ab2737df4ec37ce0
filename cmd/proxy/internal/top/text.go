package top

import (
	"strings"
	"unicode"
)

func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// wide are the characters that terminals give two columns: East Asian scripts and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0xa4cf, 1}, {0xa960, 0xa97c, 1}, {0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x16fe0, 0x18cff, 1}, {0x1aff0, 0x1b2fb, 1}, {0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1faff, 1}, {0x20000, 0x3fffd, 1}},
}

// columns is how many columns of a terminal a character takes. Marks stand on the one before.
func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// length is how many columns a text takes.
func length(text string) int {
	n := 0
	for _, r := range text {
		n += columns(r)
	}
	return n
}

// clip ends a text that is longer than a width with an ellipsis.
func clip(text string, width int) string {
	if length(text) <= width {
		return text
	}
	room := width - 1 // beside the ellipsis
	for i, r := range text {
		if room -= columns(r); room < 0 {
			return text[:i] + "…"
		}
	}
	return text
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
		case columns(r) > width:
			width = 0
			continue
		default:
			width -= columns(r)
			out.WriteRune(r)
			continue
		}
		out.WriteRune(r)
	}
	return strings.TrimRight(out.String(), " ")
}
