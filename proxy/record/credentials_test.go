package record_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/proxy/record"
)

// TestNoCredentialIsRecorded sends secrets in every place that clients and providers know.
func TestNoCredentialIsRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	r := startRecorder(t, record.Config{Dir: dir})
	url := startProxy(t, answers("hi"), r)
	secrets := []string{"Authorization", "Bearer secret-1", "Api-Key", "secret-2", "X-Api-Key", "secret-3",
		"Cookie", "a=secret-4", "Proxy-Authorization", "secret-5", "X-Goog-Api-Key", "secret-6", "X-Whatever", "secret-7",
		"X-Prefix-Key", "secret-10", "X-Stainless-Auth", "secret-11", "X-Ratelimit-Token", "secret-12"}
	ask(t, url, hello, append(secrets, "X-Agent-Token", "secret-13")...)
	ask(t, url, hello, secrets...)
	ask(t, url, hello, append(secrets, "X-Agent-Id", "root")...)
	resp, err := http.Get(url + "/v1/models?key=secret-8&limit=5&api%5Fkey=secret-9&secret-14&order=a;key=secret-15&;secret-16=")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}

	raw := recorded(t, dir)
	if strings.Contains(raw, "secret-") {
		t.Errorf("a secret was recorded: %s", raw)
	}
	for _, want := range []string{`"tenant":1`, `["X-Agent-Id","root"]`, `["X-Agent-Token","redacted"]`, `"path":"/v1/models?key=redacted\u0026limit=5\u0026api%5Fkey=redacted\u0026redacted\u0026order=redacted\u0026redacted"`} {
		if !strings.Contains(raw, want) {
			t.Errorf("%s is not recorded: %s", want, raw)
		}
	}
}

// TestFilesAreTheirOwners looks at the modes.
func TestFilesAreTheirOwners(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "recordings")
	r := startRecorder(t, record.Config{Dir: dir})
	ask(t, startProxy(t, answers("hi"), r), hello)
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, files(t, dir)[0]: 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// recorded is the text of all files.
func recorded(t testing.TB, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, file := range files(t, dir) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}
