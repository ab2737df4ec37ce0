package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Measures of the plot, in pixels.
const (
	barHeight = 9
	barWidth  = 150 // of a whole prompt
	rowHeight = 2*barHeight + 8
	panelGap  = 28
	labelsAt  = 120 // left of the panels
	topAt     = 78
)

var colors = [len(ways)]string{asSent: "#c2571a", asFork: "#1f6f8b"}

// plot writes, in a panel for each length and number, one pair of bars for each kind: the
// part of the children's prompts that was processed again.
func plot(w io.Writer, _ settings, cells []cell) error {
	sizes, children := distinct(cells)
	panelHeight := len(kinds)*rowHeight + panelGap
	width := labelsAt + len(sizes)*(barWidth+70)
	height := topAt + len(children)*panelHeight + 6
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" fill="#222">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	label(&b, 8, 20, `font-size="14" font-weight="bold"`, "Prompt tokens that children of one parent have processed again, and their part of all")
	for i, text := range [len(ways)]string{asSent: "as the application sends them", asFork: "as forks, through the proxy"} {
		x := 8 + i*210
		fmt.Fprintf(&b, `<rect x="%d" y="31" width="12" height="10" fill="%s"/>`+"\n", x, colors[i])
		label(&b, x+18, 40, "", text)
	}
	for _, c := range cells {
		x := labelsAt + slices.Index(sizes, c.size)*(barWidth+70)
		top := topAt + slices.Index(children, c.children)*panelHeight
		row := slices.Index(kinds[:], c.kind)
		y := top + row*rowHeight
		if row == 0 {
			label(&b, x, top-8, `font-weight="bold"`, fmt.Sprintf("parent of %s tokens, %s", short(int64(c.size)), plural(c.children)))
			fmt.Fprintf(&b, `<path d="M%d %dv%d" stroke="#999"/>`+"\n", x, top-2, len(kinds)*rowHeight-4)
		}
		if x == labelsAt {
			label(&b, labelsAt-8, y+barHeight+4, `text-anchor="end"`, c.kind.label)
		}
		for _, way := range ways {
			of := c.of[way]
			long := int((1-of.hitRate())*barWidth + 0.5)
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, max(1, long), barHeight-1, colors[way])
			label(&b, x+long+4, y+barHeight-1, `font-size="9"`, short(of.uncached()))
			y += barHeight
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func label(b *strings.Builder, x, y int, style, text string) {
	fmt.Fprintf(b, `<text x="%d" y="%d" %s>%s</text>`+"\n", x, y, style, text)
}

// distinct returns the lengths and numbers that occur, in order.
func distinct(cells []cell) (sizes, children []int) {
	for _, c := range cells {
		if !slices.Contains(sizes, c.size) {
			sizes = append(sizes, c.size)
		}
		if !slices.Contains(children, c.children) {
			children = append(children, c.children)
		}
	}
	return sizes, children
}

// short writes a number of tokens for a label.
func short(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%dk", (n+500)/1000)
	case n >= 1000:
		return strings.Replace(fmt.Sprintf("%.1fk", float64(n)/1e3), ".0k", "k", 1)
	}
	return fmt.Sprint(n)
}

func plural(children int) string {
	if children == 1 {
		return "1 child"
	}
	return fmt.Sprint(children, " children")
}
