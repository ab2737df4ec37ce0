package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// begin runs a command that serves, on a free port, until stop is called, which returns
// the exit code. url is empty when the command ends before it serves.
func begin(args ...string) (url string, stop func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	opened := announcement{url: make(chan string, 1)}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{args[0], "--listen=127.0.0.1:0"}, args[1:]...), &opened, io.Discard)
		close(opened.url)
	}()
	return <-opened.url, func() int { cancel(); return <-ended }
}

// serves NAME COMMAND FLAGS... runs such a command until the script ends, and sets the
// variable NAME to its URL.
func serves(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serves NAME COMMAND FLAGS...")
	}
	url, stop := begin(args[1:]...)
	if url == "" {
		ts.Fatalf("%s ends with exit code %d", args[1], stop())
	}
	ts.Setenv(args[0], url)
	ts.Defer(func() {
		if code := stop(); code != 0 {
			ts.Fatalf("%s ends with exit code %d", args[1], code)
		}
	})
}

// asks URL ID [PARENT] has an agent's client take a turn at a proxy.
func asks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: asks URL ID [PARENT]")
	}
	ts.Check(ask(args[0], args[1], args[2:]...))
}

// ask has an agent's client take a turn.
func ask(url, id string, parent ...string) error {
	const body = `{"model":"sim-1","messages":[{"role":"user","content":"say \u001b[31mhello"}]}`
	request, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("X-Agent-Id", id)
	for _, p := range parent {
		request.Header.Set("X-Agent-Parent-Id", p)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s is answered %s %s", id, answer.Status, text)
	}
	return err
}

// TestWatch follows an agent over the restart of its proxy, until it is deleted.
func TestWatch(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	store := "--store=file:" + filepath.Join(t.TempDir(), "agents.db")
	sim, stopSim := begin("sim")
	defer stopSim()
	url, stop := begin("serve", "--upstream="+sim+"/v1", store)
	if err := ask(url, "a"); err != nil {
		t.Fatal(err)
	}
	at, lines := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"agents", "watch", "a", "--proxy=" + url}, lines, io.Discard)
		lines.Close()
	}()
	watched := bufio.NewScanner(at)
	expect := func(want string) {
		t.Helper()
		for watched.Scan() {
			if strings.HasSuffix(watched.Text(), want) {
				return
			}
		}
		t.Fatalf("the watch ends with code %d and never says %q", <-ended, want)
	}
	expect("idle, turn 1, 0 in the inbox, last turn completed")
	if code := stop(); code != 0 {
		t.Fatalf("the proxy ends with code %d while it is watched", code)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	_, stop = begin("serve", "--upstream="+sim+"/v1", store, "--listen=127.0.0.1:"+port)
	defer stop()
	if err := ask(url, "a"); err != nil {
		t.Fatal(err)
	}
	expect("idle, turn 2, 0 in the inbox, last turn completed")
	if code := run(t.Context(), []string{"agents", "delete", "a", "--proxy=" + url}, io.Discard, io.Discard); code != 0 {
		t.Fatalf("delete ends with code %d", code)
	}
	expect("deleted")
	if code := <-ended; code != 0 {
		t.Errorf("the watch ends with code %d", code)
	}
}

// TestWatchEndsWithItsKey: who watches with a key that is taken out is told so, and nothing
// else.
func TestWatchEndsWithItsKey(t *testing.T) {
	dir := t.TempDir()
	write := func(list string) {
		t.Helper()
		if err := os.WriteFile(dir+"/keys.yaml", []byte("keys: ["+list+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const other = "{key: other, tenant: a, scopes: [agents]}"
	write(other + ", {key: mine, tenant: a, scopes: [agents]}")
	url, stop := begin("serve", "--upstream=http://127.0.0.1:1/v1", "--store=file:"+dir+"/agents.db", "--auth="+dir+"/keys.yaml")
	defer stop()
	request, err := http.NewRequest(http.MethodPost, url+"/agents", strings.NewReader(`{"id":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer mine")
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("%v %v", answer, err)
	}
	answer.Body.Close()

	at, lines := io.Pipe()
	ended := make(chan int, 1)
	var told bytes.Buffer
	go func() {
		ended <- run(t.Context(), []string{"agents", "watch", "a", "--proxy=" + url, "--key=mine"}, lines, &told)
		lines.Close()
	}()
	watched := bufio.NewScanner(at)
	if !watched.Scan() {
		t.Fatalf("nothing is watched: %s", &told)
	}
	write(other)
	if code := run(t.Context(), []string{"agents", "delete", "a", "--proxy=" + url, "--key=other"}, io.Discard, io.Discard); code != 0 {
		t.Fatalf("delete ends with code %d", code)
	}
	for watched.Scan() {
		t.Errorf("the watch goes on with %s", watched.Text())
	}
	if code := <-ended; code != 1 || !strings.HasSuffix(told.String(), "the API key is not valid (--key gives another)\n") {
		t.Errorf("the watch ends with code %d and %s", code, &told)
	}
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
	for at, want := range map[string]string{
		"2026-05-06T12:00:01.000Z": "0s", // clocks differ
		"2026-05-06T11:59:01.000Z": "59s",
		"2026-05-06T11:59:00.000Z": "1m",
		"2026-05-06T10:00:01.000Z": "1h",
		"2026-05-04T12:00:01.000Z": "47h",
		"2026-05-04T12:00:00.000Z": "2d",
		"soon":                     "?",
	} {
		if got := age(at, now); got != want {
			t.Errorf("age(%s) = %s, want %s", at, got, want)
		}
	}
}

// TestPrefixRows: the account of a request in words. A first request breaks nothing, and one
// that failed says how in place of figures.
func TestPrefixRows(t *testing.T) {
	for name, tt := range map[string]struct{ raw, want string }{
		"a changed tool": {`{"relation":"fork","model":"m","total_bytes":13204,"shared_bytes":3632,
			"break":{"cause":"tools_changed","name":"+report","path":"tools[7]","within_bytes":0,"changed_bytes":0},
			"tokens":{"prompt":5546,"expected":1536,"reported":1664},"losses":[{"cause":"tools_changed","tokens":3597}]}`,
			"last request  fork, model m|shared        3632 of 13204 bytes|break         tools_changed in tools[7]: +report|" +
				"tokens        5546 in the prompt, 1536 expected in the cache, 1664 read from the provider's cache|lost          3597 tokens: tools_changed"},
		"a nonce": {`{"relation":"continuation","model":"m","break":{"cause":"nonce","path":"messages[0]","within_bytes":52,"changed_bytes":4}}`,
			"last request  continuation, model m|shared        0 of 0 bytes|break         nonce in messages[0], 4 bytes from its byte 52 on"},
		"another model": {`{"relation":"fork","model":"m","break":{"cause":"model_changed","name":"model","path":"model"}}`,
			"last request  fork, model m|shared        0 of 0 bytes|break         model_changed in model"},
		"a first request": {`{"relation":"root","model":"m","break":{"cause":"cold_start"},"tokens":{"prompt":9,"expected":0,"reported":null}}`,
			"last request  root, model m|shared        0 of 0 bytes|cause         cold_start|tokens        9 in the prompt, 0 expected in the cache, the provider did not say what it read from its cache"},
		"one that failed": {`{"relation":"root","model":"m","failed":"status 503","break":{"cause":"none"}}`,
			"last request  root, model m, failed: status 503|shared        0 of 0 bytes"},
	} {
		rows, err := prefixRows([]byte(tt.raw))
		if err != nil {
			t.Fatal(name, err)
		}
		if got := strings.ReplaceAll(strings.TrimSpace(columns(rows)), "\n", "|"); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, tt.want)
		}
	}
}
