package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// printable returns text without what a terminal would act on: agents say what they like.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.IsSpace(r) || r == '\r' {
			return '\ufffd'
		}
		return r
	}, text)
}

// oneLine is printable text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// printJSON prints a value on one line.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// columns pads cells to the width of their column; the last one is as long as it is.
func columns(rows [][]string) string {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2))
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

// age tells how long ago a time of the API is, in its largest unit.
func age(at string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return "?"
	}
	switch d := max(now.Sub(t), 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

// stdinReader is where a text comes from that is given as "-".
type stdinReader struct{ io.Reader }

// text returns the text that an argument stands for.
func (s stdinReader) text(argument string) (string, error) {
	if argument != "-" {
		return argument, nil
	}
	text, err := io.ReadAll(s)
	return strings.TrimSuffix(string(text), "\n"), err
}

// clock is the time of day that an event is printed with.
func clock(t time.Time) string { return t.Format(time.TimeOnly) }
