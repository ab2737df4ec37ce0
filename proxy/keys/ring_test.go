package keys

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A reader of the file, with what it wrote to the log.
type reader struct {
	t    *testing.T
	path string
	log  bytes.Buffer
	*Ring
}

func newReader(t *testing.T, text string) *reader {
	t.Helper()
	r := &reader{t: t, path: filepath.Join(t.TempDir(), "keys.yaml")}
	r.write(text)
	var err error
	if r.Ring, err = Open(r.path, slog.New(slog.NewTextHandler(&r.log, nil))); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reader) write(text string) {
	r.t.Helper()
	if err := os.WriteFile(r.path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) tenant(key string) string {
	k, ok := r.Lookup(key)
	if ok != (k.Tenant != "") {
		r.t.Errorf("Lookup: %v and %q", ok, k.Tenant)
	}
	return k.Tenant
}

const (
	one = "keys: [{key: one-secret, tenant: a}]"
	two = "keys: [{key: two-secret, tenant: b}]"
)

func TestLookup(t *testing.T) {
	r := newReader(t, "keys: [{key: one-secret, tenant: a}, {key: two-secret, tenant: b}]")
	for key, want := range map[string]string{
		"one-secret": "a", "two-secret": "b", "one-secre": "", "one-secretx": "", "": "", "ONE-SECRET": "",
	} {
		if got := r.tenant(key); got != want {
			t.Errorf("%q is of %q, want %q", key, got, want)
		}
	}
}

// A change counts from the next look on, also one that leaves the file's size and, on a
// coarse clock, its time as they were.
func TestChangeIsReadAtOnce(t *testing.T) {
	r := newReader(t, one)
	for range 50 {
		r.write(two)
		if r.tenant("one-secret") != "" || r.tenant("two-secret") != "b" {
			t.Fatal("the old file still holds")
		}
		r.write(one)
		if r.tenant("one-secret") != "a" || r.tenant("two-secret") != "" {
			t.Fatal("the old file still holds")
		}
	}
}

func TestReplacedFileIsRead(t *testing.T) {
	r := newReader(t, one)
	other := r.path + ".new"
	if err := os.WriteFile(other, []byte(two), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, r.path); err != nil {
		t.Fatal(err)
	}
	if r.tenant("two-secret") != "b" {
		t.Error("the old file still holds")
	}
	if !strings.Contains(r.log.String(), "the keys were read again") {
		t.Errorf("the log does not tell: %s", &r.log)
	}
}

// A broken file, or none, keeps the keys that were read, says so once, and is over as
// soon as the file is in order.
func TestBrokenFileKeepsTheKeys(t *testing.T) {
	for name, spoil := range map[string]func(r *reader){
		"broken":  func(r *reader) { r.write("keys: [{key: two-secret, tenant: b") },
		"empty":   func(r *reader) { r.write("") },
		"missing": func(r *reader) { os.Remove(r.path) },
		"unreadable": func(r *reader) { // by anybody, root included
			os.Remove(r.path)
			os.Mkdir(r.path, 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t, one)
			spoil(r)
			for range 3 {
				if r.tenant("one-secret") != "a" || r.tenant("two-secret") != "" {
					t.Error("the keys do not hold")
				}
			}
			if n := strings.Count(r.log.String(), "the keys cannot be read"); n != 1 {
				t.Errorf("told %d times: %s", n, &r.log)
			}
			os.Remove(r.path)
			r.write(two)
			if r.tenant("one-secret") != "" || r.tenant("two-secret") != "b" {
				t.Error("the mended file is not read")
			}
			if strings.Contains(r.log.String(), "secret") {
				t.Errorf("the log tells a key: %s", &r.log)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none.yaml"), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("%v, want an error that names the file", err)
	}
}

func BenchmarkLookup(b *testing.B) {
	path := filepath.Join(b.TempDir(), "keys.yaml")
	if err := os.WriteFile(path, []byte(one), 0o600); err != nil {
		b.Fatal(err)
	}
	old := must(os.Stat(path)).ModTime().Add(-2 * tick)
	if err := os.Chtimes(path, old, old); err != nil {
		b.Fatal(err)
	}
	r := must(Open(path, slog.New(slog.DiscardHandler)))
	for b.Loop() {
		r.Lookup("one-secret")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
