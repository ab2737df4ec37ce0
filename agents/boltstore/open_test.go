package boltstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"trunkline/agents"
	"trunkline/agents/boltstore"
)

func TestOpenModes(t *testing.T) {
	file := path(t)
	s := open(t, file)
	defer s.Close()
	for path, want := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	if !s.Exclusive() {
		t.Error("an embedded store is exclusive")
	}
}

func TestOpenUnfit(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(t *testing.T, file string)
		want string
	}{
		{"text", func(t *testing.T, file string) { write(t, file, strings.Repeat("not a database\n", 1000)) }, "not a bbolt database"},
		{"short text", func(t *testing.T, file string) { write(t, file, "x") }, "not a bbolt database"},
		{"a directory", func(t *testing.T, file string) {
			if err := os.Mkdir(file, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "directory"},
		{"a parent that is a file", func(t *testing.T, file string) {
			if err := os.Remove(filepath.Dir(file)); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Dir(file), "x")
		}, "not a directory"},
		{"another program's", func(t *testing.T, file string) {
			edit(t, file, func(tx *bbolt.Tx) error {
				_, err := tx.CreateBucket([]byte("theirs"))
				return err
			})
		}, "another program"},
		{"a newer schema", func(t *testing.T, file string) {
			open(t, file).Close()
			edit(t, file, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("schema"), []byte("2")) })
		}, "schema 2, this program knows 1"},
		{"cut in half", func(t *testing.T, file string) { fill(t, file); truncate(t, file, 2) }, "damaged"},
		{"cut to its head", func(t *testing.T, file string) { fill(t, file); truncate(t, file, 100) }, "damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "dir", "agents.db")
			if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			test.make(t, file)
			_, err := boltstore.Open(file, boltstore.Options{})
			if !errors.Is(err, agents.ErrUnfit) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("Open = %v, want ErrUnfit that says %q", err, test.want)
			}
			if !strings.Contains(err.Error(), filepath.Dir(file)) {
				t.Fatalf("Open = %v, which does not name the path", err)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func edit(t *testing.T, file string, change func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(file, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(change), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// fill makes the file a few hundred KiB long.
func fill(t *testing.T, file string) {
	t.Helper()
	s := open(t, file)
	for i := range 20 {
		key := agents.Key{ID: fmt.Sprint(i)}
		if _, err := s.Commit(t.Context(), key, agents.Change{Data: make([]byte, 20_000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, file string, part int64) {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, max(info.Size()/part, 8192)); err != nil {
		t.Fatal(err)
	}
}
