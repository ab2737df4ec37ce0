package main

import (
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"trunkline/e2e/harness"
)

// TestEngineRows: the page's figures of a real engine are what it measures here, too. Tokens may
// differ a little where the proxy's own text has changed, or where slots are taken otherwise;
// beyond that the page is measured again and its rows are put into page.md.
func TestEngineRows(t *testing.T) {
	if os.Getenv("TRUNKLINE_FULL") == "" {
		t.Skip("the engine takes minutes: TRUNKLINE_FULL=1 (make test-full)")
	}
	engine := harness.StartEngine(t, "../engine", 4)
	var measured strings.Builder
	args := []string{"-proxy=" + string(program), "-upstream=" + engine.URL + "/v1", "-provider=llamacpp", "-model=nano", "-sizes=8k", "-children=1,4"}
	if err := run(t.Context(), args, &measured, io.Discard); err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(pageText, "## On a real engine")
	shown, now := rows(t, section), rows(t, measured.String())
	if len(shown) != 8 || len(now) != len(shown) {
		t.Fatalf("the page shows %d rows of the engine, %d are measured", len(shown), len(now))
	}
	for i, was := range shown {
		is := now[i]
		children := float64(was.children)
		for _, figure := range []struct {
			of      string
			was, is float64
			slack   float64 // tokens
		}{
			{"the parent's tokens", was.parent, is.parent, 0.02 * was.parent},
			{"uncached, as sent", was.sent, is.sent, 0.05*was.sent + 64*children},
			{"uncached, as forks", was.forks, is.forks, 0.05*was.forks + 64*children},
		} {
			if was.kind != is.kind || was.children != is.children || math.Abs(figure.was-figure.is) > figure.slack {
				t.Errorf("%d × %s: %s: the page shows %v, measured for %d × %s: %v", was.children, was.kind, figure.of, figure.was, is.children, is.kind, figure.is)
			}
		}
	}
	if t.Failed() {
		t.Logf("measured:\n%s", &measured)
	}
}

// row is what a table says of one kind of child.
type row struct {
	kind                string
	children            int
	parent, sent, forks float64 // tokens
}

func rows(t *testing.T, page string) (list []row) {
	t.Helper()
	number := func(s string) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, m := range regexp.MustCompile(`(?m)^\| ([\d,]+) \| (\d+) \| ([^|]+) \| ([\d,]+) \| ([\d,]+) \|`).FindAllStringSubmatch(page, -1) {
		list = append(list, row{m[3], int(number(m[2])), number(m[1]), number(m[4]), number(m[5])})
	}
	return list
}
