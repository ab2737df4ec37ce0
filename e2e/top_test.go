package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestTopFitsItsTerminal: on a real terminal the picture has the terminal's size: the totals
// are in its first line, the latest request in one line below them, and nothing scrolls.
func TestTopFitsItsTerminal(t *testing.T) {
	w, _ := watched(t)
	w.family(t, 1)
	for _, size := range []struct{ columns, rows int }{{80, 24}, {200, 50}} {
		picture := terminal(t, size.columns, size.rows, string(proxy)+" top --proxy="+w.proxy.URL)
		lines := strings.Split(strings.TrimSuffix(picture, "\n"), "\n")
		if !strings.HasPrefix(lines[0], "trunkline  sim  ") || len(lines) >= size.rows {
			t.Errorf("%d lines on a terminal of %d, the first is %q", len(lines), size.rows, lines[0])
		}
		latest := 0
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > size.columns {
				t.Errorf("%d characters in %d columns: %q", n, size.columns, line)
			}
			if strings.Contains(line, "root-1") && strings.Contains(line, " continuation ") {
				latest++
			}
		}
		if latest == 0 || !strings.Contains(picture, "tools +report") {
			t.Errorf("the latest request or the last break is missing:\n%s", picture)
		}
	}
}

// terminal runs a command on a terminal of its own until that shows a whole picture, which it
// returns without colours.
func terminal(t *testing.T, columns, rows int, command string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	script := exec.CommandContext(ctx, "script", "-qfc", fmt.Sprintf("stty cols %d rows %d; exec %s", columns, rows, command), "/dev/null")
	out, err := script.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); script.Wait() }() // which closes the terminal, and so ends the command
	var shown []byte
	piece := make([]byte, 4096)
	for {
		if _, rest, begun := strings.Cut(string(shown), "\x1b[H"); begun {
			if picture, _, whole := strings.Cut(rest, "\x1b[J"); whole {
				return strings.ReplaceAll(controls.ReplaceAllString(picture, ""), "\r\n", "\n")
			}
		}
		n, err := out.Read(piece)
		if err != nil {
			t.Fatalf("%v after %q", err, shown)
		}
		shown = append(shown, piece[:n]...)
	}
}

// controls are what colours a terminal and clears the ends of its lines.
var controls = regexp.MustCompile("\x1b\\[[0-9]*[mK]")
