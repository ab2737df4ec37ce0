package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal is where pictures are drawn, each over the one before it; where the output is no
// terminal, one below the other.
type terminal struct {
	out io.Writer
	fd  int // -1: it is none
}

func terminalOf(w io.Writer) terminal {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return terminal{w, int(f.Fd())}
	}
	return terminal{w, -1}
}

// color reports whether colours are wanted; see no-color.org.
func (t terminal) color() bool { return t.fd >= 0 && os.Getenv("NO_COLOR") == "" }

// size is what a picture has to fit, which a person may change at any time. The last line is
// left for the cursor.
func (t terminal) size() (width, height int) {
	if width, height, err := term.GetSize(t.fd); err == nil && width > 0 && height > 1 {
		return width, height - 1
	}
	return 120, 40
}

// draw shows a picture. over: it takes the place of all that the terminal shows. Nothing is
// cleared before it is written over, so that it does not flicker.
func (t terminal) draw(picture []string, over bool) error {
	begin, eol, end := "", "\n", ""
	if over && t.fd >= 0 {
		begin, eol, end = "\x1b[H", "\x1b[K\n", "\x1b[J"
	}
	_, err := fmt.Fprint(t.out, begin+strings.Join(picture, eol)+eol+end)
	return err
}
