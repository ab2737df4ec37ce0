package harness

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Proxy is the program while it serves.
type Proxy struct {
	*Process
	URL string // where it listens: http://127.0.0.1:PORT
}

// Start runs a command of the program that serves, on a free port. env is added
// to an environment that holds nothing of this machine but PATH, a new HOME and TMPDIR.
func (b Binary) Start(t testing.TB, env []string, command string, args ...string) *Proxy {
	t.Helper()
	home := t.TempDir()
	program := exec.Command(string(b), append([]string{command, "--listen=127.0.0.1:0"}, args...)...)
	program.Dir = home
	program.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home,
		"GORACE=atexit_sleep_ms=0", // the race detector sleeps for a second at the end of a process
	}, env...)
	var url string
	process, err := start(t, program, func(line string) (serves bool) {
		url, serves = strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		return serves
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Proxy{process, url}
}

// Serve describes a proxy to start.
type Serve struct {
	Upstream string   // the provider's base URL
	Store    string   // as --store takes it; "" is a new file
	Args     []string // more flags
	Env      []string // more variables, as NAME=VALUE
}

// Serve starts a proxy and waits until it is ready.
func (b Binary) Serve(t testing.TB, s Serve) *Proxy {
	t.Helper()
	if s.Store == "" {
		s.Store = "file:" + filepath.Join(t.TempDir(), "agents.db")
	}
	p := b.Start(t, s.Env, "serve", append([]string{"--upstream=" + s.Upstream, "--store=" + s.Store}, s.Args...)...)
	ctx, cancel := context.WithTimeout(t.Context(), startBound)
	defer cancel()
	if err := ready(ctx, p.URL); err != nil {
		t.Fatal(err)
	}
	return p
}

// ready asks url for /readyz until the answer is 200 or ctx ends.
func ready(ctx context.Context, url string) error {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for last := "no answer"; ; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			last = answer.Status
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready (%s): %w", url, last, context.Cause(ctx))
		}
	}
}
