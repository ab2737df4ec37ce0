package main

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/template"
	"time"

	"trunkline/internal/figure"
)

//go:embed page.md
var pageText string

// page writes the page with the table.
func page(w io.Writer, s settings, cells []cell) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		Simulated bool
		Upstream  string
		Prefill   time.Duration
		Plot      bool
		Table     string
	}{s.upstream == "", s.upstream, prefill, s.out != "", table(cells)})
}

// table returns the cells in Markdown, one row each.
func table(cells []cell) string {
	var b strings.Builder
	b.WriteString("| parent | children | kind of child | uncached, as sent | as forks | hit rate, as sent | as forks | first token, as sent | as forks |\n")
	b.WriteString("|--:|--:|---|--:|--:|--:|--:|--:|--:|\n")
	for _, c := range cells {
		sent, fork := c.of[asSent], c.of[asFork]
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %.1f %% | %.1f %% | %s | %s |\n",
			figure.Of(sent.parent), c.children, c.kind.label, figure.Of(sent.uncached()), figure.Of(fork.uncached()),
			100*sent.hitRate(), 100*fork.hitRate(), milliseconds(sent.ttft), milliseconds(fork.ttft))
	}
	return b.String()
}

func milliseconds(d time.Duration) string { return figure.Of(d.Milliseconds()) + " ms" }
