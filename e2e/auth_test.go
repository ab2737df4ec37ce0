package e2e

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/e2e/harness"
)

// TestKeysChangeWhileServing takes one key away and gives another, spoils the file in several
// ways, and mends it, all under one running proxy that other machines could reach.
func TestKeysChangeWhileServing(t *testing.T) {
	provider := proxy.Start(t, nil, "sim")
	file := filepath.Join(t.TempDir(), "keys.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("keys: [{key: secret-one, tenant: a}]")
	p := proxy.Serve(t, harness.Serve{Upstream: provider.URL + "/v1", Args: []string{"--auth=" + file, "--listen=0.0.0.0:0"}})
	_, port, _ := strings.Cut(strings.TrimPrefix(p.URL, "http://"), "]:")
	url := "http://127.0.0.1:" + port

	expect := func(key string, want int) {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions",
			strings.NewReader(`{"model":"sim-1","messages":[{"role":"user","content":"hello"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("X-Agent-Id", "root")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != want {
			t.Fatalf("%s: %s %s (%v), want %d", key, answer.Status, body, err, want)
		}
	}
	expect("secret-one", 200)
	expect("secret-two", 401)
	write("keys: [{key: secret-two, tenant: b}]")
	expect("secret-one", 401)
	expect("secret-two", 200)
	for _, spoilt := range []struct {
		spoil func()
		told  string
	}{
		{func() { write("keys: [{key: secret-one, tenant: a}, {") }, "line 1: "},
		{func() { write("keys:\n  - key: secret-one\n    tenant: sec") }, "it may be half written"},
		{func() { write("keys:\n  - key: secret-one\n    tennant: secret\n") }, "line 3: unknown field"},
		{func() { write("") }, "it holds no keys"},
		{func() { os.Remove(file) }, "no such file"},
	} {
		spoilt.spoil()
		expect("secret-one", 401)
		expect("secret-two", 200)
		if log := p.Log(); !strings.Contains(log, "the keys cannot be read; those read before still hold") || !strings.Contains(log, spoilt.told) {
			t.Errorf("the log does not say %q:\n%s", spoilt.told, log)
		}
	}
	mended := file
	file += ".new"
	write("keys: [{key: secret-one, tenant: a}]")
	if err := os.Rename(file, mended); err != nil {
		t.Fatal(err)
	}
	expect("secret-one", 200)
	expect("secret-two", 401)

	if strings.Contains(p.Log(), "secret") {
		t.Errorf("the log tells a key:\n%s", p.Log())
	}
}
