package demo

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Page is what the demo prints on. Its first write error is kept, and ends the
// output.
type Page struct {
	w     io.Writer
	style bool
	err   error
}

// NewPage returns a page on w. It has colours if w is a terminal that can show
// them, unless NO_COLOR is set (no-color.org).
func NewPage(w io.Writer) *Page {
	p := &Page{w: w}
	if f, ok := w.(*os.File); ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		info, err := f.Stat()
		p.style = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// Printf prints what it is given, as it is.
func (p *Page) Printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// Err returns the error that ended the output, if one did.
func (p *Page) Err() error { return p.err }

// Bold and the others set text off; without a terminal they return it as it is.
func (p *Page) Bold(s string) string  { return p.sgr("1", s) }
func (p *Page) Dim(s string) string   { return p.sgr("2", s) }
func (p *Page) Green(s string) string { return p.sgr("32", s) }
func (p *Page) Red(s string) string   { return p.sgr("31", s) }

func (p *Page) sgr(code, s string) string {
	if !p.style {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

const (
	pageWidth  = 80 // columns
	maxExcerpt = 5  // lines
)

// field prints a name and a text beside it, wrapped to the page. A long text is
// cut, and ends in an ellipsis then. The text is a model's: what would steer a
// terminal is left out.
func (p *Page) field(name, text string) {
	const nameWidth = 16
	lines := wrap(strings.Map(plain, text), pageWidth-nameWidth-4)
	if len(lines) > maxExcerpt {
		lines = append(lines[:maxExcerpt:maxExcerpt], "…")
	}
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		p.Printf("    %s%s\n", p.Dim(fmt.Sprintf("%-*s", nameWidth, name)), line)
	}
}

// plain drops control characters, but for the line's end.
func plain(r rune) rune {
	if unicode.IsControl(r) && r != '\n' {
		return -1
	}
	return r
}

// paragraph prints running text.
func (p *Page) paragraph(text string) {
	for _, line := range wrap(text, pageWidth-2) {
		p.Printf("  %s\n", line)
	}
}

// wrap breaks text at spaces; its own line ends stay.
func wrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
				line += " " + word
			default:
				lines = append(lines, line)
				line = word
			}
		}
		lines = append(lines, line)
	}
	return lines
}
