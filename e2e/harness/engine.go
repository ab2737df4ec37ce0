package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Engine is a real inference engine, llama.cpp, with a very small model behind an
// OpenAI-compatible server: what it reuses of a prompt is what its KV cache held.
type Engine struct {
	*Process
	URL string // http://127.0.0.1:PORT; the API is below /v1
}

// StartEngine starts the server in dir, a copy of e2e/engine with its packages installed,
// with an empty cache of that many slots. The engine is published for 64-bit x86 Linux
// with glibc: a test on another machine is skipped. One where it could be installed and is
// not fails.
func StartEngine(t testing.TB, dir string, slots int) *Engine {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("the pinned engine is published for linux/amd64, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if musl, _ := filepath.Glob("/lib/ld-musl-*"); len(musl) > 0 {
		t.Skip("the pinned engine is built for glibc, this machine has musl")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".installed")); err != nil {
		t.Fatalf("the engine is not installed: `make test` does it, or `npm ci --omit=optional --ignore-scripts` in e2e/engine: %v", err)
	}
	tmp := t.TempDir()
	server := exec.Command("node", "server.mjs", fmt.Sprintf("--slots=%d", slots))
	server.Dir = dir
	server.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tmp, "TMPDIR=" + tmp}
	e := new(Engine)
	var err error
	e.Process, err = start(t, server, func(line string) (serves bool) {
		e.URL, serves = strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		return serves
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
