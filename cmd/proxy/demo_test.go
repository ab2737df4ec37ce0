package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy/sim"
)

// TestDemoFiguresAddUp does the sums of the table again.
func TestDemoFiguresAddUp(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var stdout, stderr strings.Builder
	if code := run(t.Context(), []string{"demo", "--once"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	rows := regexp.MustCompile(`(?m)^  (.*?) +([\d,]+) +([\d,]+) +([\d,]+) +([\d.]+) % +[\d.]+ m?s$`).FindAllStringSubmatch(stdout.String(), -1)
	if len(rows) != 3 {
		t.Fatalf("%d rows, want 3, in:\n%s", len(rows), &stdout)
	}
	number := func(s string) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	hits := map[string]float64{}
	for _, row := range rows {
		name, prompt, cached, uncached := row[1], number(row[2]), number(row[3]), number(row[4])
		hits[name] = number(row[5])
		if prompt != cached+uncached {
			t.Errorf("%s: %v tokens, but %v cached and %v uncached", name, prompt, cached, uncached)
		}
		if hit := strconv.FormatFloat(100*cached/prompt, 'f', 1, 64); hit != row[5] {
			t.Errorf("%s: hit %s %%, want %s %%", name, row[5], hit)
		}
	}
	if fork, naive := hits["fork child"], hits["naive child"]; fork < 95 || naive > 20 {
		t.Errorf("the fork child's hit is %v %%, the naive child's %v %%", fork, naive)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestDemoServesUntilInterrupted uses what the demo says is there.
func TestDemoServesUntilInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, stdout := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"demo"}, stdout, io.Discard)
		stdout.Close()
	}()
	said := readUntil(t, out, "curl ")
	base := regexp.MustCompile(`export OPENAI_BASE_URL=(\S+)`).FindStringSubmatch(said)
	if base == nil {
		t.Fatalf("no base URL in:\n%s", said)
	}
	request, err := http.NewRequest(http.MethodPost, base[1]+"/chat/completions",
		strings.NewReader(`{"model":"sim-1","messages":[{"role":"user","content":"say hello"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Agent-Id", "mine")
	request.Header.Set("X-Agent-Parent-Id", "parent")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if usage, ok := prefix.EventUsage(body); err != nil || !ok || usage.Cached.N < 8000 {
		t.Errorf("a fork of the parent: %s: %s %v", answer.Status, body, err)
	}
	interrupt()
	go io.Copy(io.Discard, out)
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// readUntil returns what r says, up to the piece that holds mark.
func readUntil(t *testing.T, r io.Reader, mark string) string {
	t.Helper()
	var said strings.Builder
	piece := make([]byte, 4096)
	for !strings.Contains(said.String(), mark) {
		n, err := r.Read(piece)
		said.Write(piece[:n])
		if err != nil {
			t.Fatalf("%v after:\n%s", err, &said)
		}
	}
	return said.String()
}

// TestDemoWithProviderElsewhere: a provider with another shape of usage, a key and a path
// of its own, whose model sends no messages.
func TestDemoWithProviderElsewhere(t *testing.T) {
	provider := sim.New(sim.Config{Base: "/api/v3", Dialect: sim.DeepSeek})
	server := httptest.NewServer(provider)
	defer server.Close()
	var stdout, stderr strings.Builder
	args := []string{"demo", "--once", "--upstream=" + server.URL + "/api/v3", "--upstream-key=sk-theirs", "--model=m1"}
	if code := run(t.Context(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	for _, want := range []string{
		`  provider +http://127\.0\.0\.1:\d+/api/v3, model m1\n`,
		`  fork child +8,\d{3} +8,\d{3} +\d+ +9\d\.\d % `,
		`parent's model +did not call send_message this time`,
		`parent reads +Agent child settled: completed\.`,
	} {
		if !regexp.MustCompile(want).MatchString(stdout.String()) {
			t.Errorf("%s is missing in:\n%s", want, &stdout)
		}
	}
	for _, r := range provider.Requests() {
		if got := r.Header.Get("Authorization"); got != "Bearer sk-theirs" {
			t.Errorf("request %d came with %q", r.Number, got)
		}
	}
}
