package main

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeShowsTheDemo: what the README shows of the demo, and of proxy top beside it, is what
// they say, to the token; ports, times and widths are not compared.
func TestReadmeShowsTheDemo(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	out, stdout := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"demo"}, stdout, io.Discard)
		stdout.Close()
	}()
	said := readUntil(t, out, "proxy top --proxy=")
	url := regexp.MustCompile(`  page +(\S+)/\n`).FindStringSubmatch(said)
	if url == nil {
		t.Fatalf("no page in:\n%s", said)
	}
	var top, stderr strings.Builder
	if code := run(t.Context(), []string{"top", "--once", "--proxy=" + url[1]}, &top, &stderr); code != 0 {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	interrupt()
	go io.Copy(io.Discard, out)
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	for begins, got := range map[string]string{"trunkline demo:": said, "trunkline  sim": top.String()} {
		_, shown, found := strings.Cut(string(page), "```\n"+begins)
		shown, _, ends := strings.Cut(begins+shown, "\n```\n")
		if !found || !ends {
			t.Fatalf("the README has no block that begins with %q", begins)
		}
		if !strings.HasPrefix(masked(got), masked(shown)) {
			t.Errorf("the README shows\n%s\n\nand this is said:\n%s", masked(shown), masked(got))
		}
	}
}

var volatile = []struct {
	what *regexp.Regexp
	mask string
}{
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`), "CLOCK"},
	{regexp.MustCompile(`\b[\d,.]+ (ms|s)\b`), "TIME"},
	{regexp.MustCompile(`[█░▒]+ `), "BAR "},
	{regexp.MustCompile(`─+`), "─"},
	{regexp.MustCompile(` +`), " "},
}

// masked is a text without what differs from run to run, and from width to width.
func masked(text string) string {
	for _, v := range volatile {
		text = v.what.ReplaceAllString(text, v.mask)
	}
	return text
}
