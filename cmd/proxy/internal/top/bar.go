package top

import (
	"strings"

	"trunkline/proxy/api"
)

// The parts of a bar, as characters and as colours.
const (
	reusedMark, newMark, lostMark = '█', '░', '▒'

	green, grey, red, bold, plain = "\x1b[32m", "\x1b[90m", "\x1b[31m", "\x1b[1m", "\x1b[0m"
)

// bar draws a request's prompt in width characters. What is there at all is seen: a part
// of few tokens still gets one character.
func (s Screen) bar(r api.StatusRequest, width int) string {
	width = max(width, 3)
	if r.Prompt == 0 {
		return strings.Repeat(" ", width)
	}
	part := func(n int64) int {
		if n == 0 {
			return 0
		}
		return min(width, max(1, int(n*int64(width)/r.Prompt)))
	}
	lost := part(r.Lost)
	reused := min(part(r.Reused.N), width-lost)
	if rest := r.Prompt - r.Reused.N - r.Lost; rest > 0 && lost+reused == width && reused > 1 {
		reused--
	}
	fresh := width - lost - reused
	return s.paint(green, strings.Repeat(string(reusedMark), reused)) +
		s.paint(grey, strings.Repeat(string(newMark), fresh)) +
		s.paint(red, strings.Repeat(string(lostMark), lost))
}

func (s Screen) paint(color, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return color + text + plain
}
