package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"trunkline/prefix"
)

// row is one request of the table.
type row struct {
	name  string
	usage prefix.Usage  // as the provider reported it
	first time.Duration // to the first token, as the client saw it
}

// unreported is printed where the provider did not say: that is not 0.
const unreported = "–"

// uncached is what the provider had to compute.
func (r row) uncached() prefix.Count {
	if !r.usage.Prompt.Known || !r.usage.Cached.Known {
		return prefix.Count{}
	}
	return prefix.Tokens(r.usage.Prompt.N - r.usage.Cached.N)
}

// cells are the row's columns, the name first.
func (r row) cells() []string {
	hit := unreported
	if r.usage.Cached.Known && r.usage.Prompt.N > 0 {
		hit = fmt.Sprintf("%.1f %%", 100*float64(r.usage.Cached.N)/float64(r.usage.Prompt.N))
	}
	return []string{r.name, figure(r.usage.Prompt), figure(r.usage.Cached), figure(r.uncached()), hit, latency(r.first)}
}

// header names the columns.
func header() []string {
	return []string{"request", "prompt tokens", "cached", "uncached", "hit", "first token"}
}

// align pads columns to the width of their widest cell: the first to the left,
// figures to the right.
func align(lines [][]string) []string {
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	out := make([]string, len(lines))
	for n, cells := range lines {
		var line strings.Builder
		for i, cell := range cells {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + space)
			} else {
				line.WriteString("  " + space + cell)
			}
		}
		out[n] = line.String()
	}
	return out
}

// figure groups the digits of a count by thousands.
func figure(c prefix.Count) string {
	if !c.Known {
		return unreported
	}
	digits := strconv.FormatInt(c.N, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// latency is a time as people compare it: milliseconds, three digits at most.
func latency(d time.Duration) string {
	switch {
	case d == 0:
		return unreported
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
