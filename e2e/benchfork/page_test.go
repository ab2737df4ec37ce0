package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
)

// TestPage: a row and a pair of bars for each cell.
func TestPage(t *testing.T) {
	cells := []cell{
		{8000, 1, kinds[0], [len(ways)]cost{{8012, 8100, 8000, time.Millisecond}, {8400, 8500, 8400, 2 * time.Millisecond}}},
		{8000, 1, kinds[3], [len(ways)]cost{{8012, 8100, 0, time.Second}, {8400, 8700, 8400, 1234 * time.Millisecond}}},
	}
	var text, drawing strings.Builder
	if err := page(&text, settings{out: "docs"}, cells); err != nil {
		t.Fatal(err)
	}
	row := "| 8,012 | 1 | nonce in system | 8,100 | 300 | 0.0 % | 96.6 % | 1,000 ms | 1,234 ms |"
	if !strings.Contains(text.String(), row) || !strings.Contains(text.String(), "fork-benchmark.svg") {
		t.Errorf("the page lacks its plot or the row\n%s\n%s", row, text.String())
	}
	if err := plot(&drawing, settings{}, cells); err != nil {
		t.Fatal(err)
	}
	bars := 0
	for decoder := xml.NewDecoder(strings.NewReader(drawing.String())); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars++
		}
	}
	if legend := 1 + len(ways); bars != legend+len(ways)*len(cells) {
		t.Errorf("%d rectangles", bars)
	}
}

// TestNumbers: lists as the flags take them.
func TestNumbers(t *testing.T) {
	if got, err := numbers("8k, 500"); err != nil || len(got) != 2 || got[0] != 8000 || got[1] != 500 {
		t.Errorf("%v, %v", got, err)
	}
	for _, list := range []string{"", "0", "-1", "8m", "1,,2"} {
		if got, err := numbers(list); err == nil {
			t.Errorf("%q is read as %v", list, got)
		}
	}
}
