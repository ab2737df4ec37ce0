package agents_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/agents/redisstore"
	"trunkline/agents/redisstore/redistest"
)

// TestStories tells each file of testdata/stories on each engine. A story is a list of
// commands, each with the result that it must have behind "->"; doc of the commands: the
// table in teller_test.go.
func TestStories(t *testing.T) {
	redisstore.LogTo(slog.New(slog.DiscardHandler))
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	t.Run("bolt", func(t *testing.T) {
		for _, file := range files {
			t.Run(story(file), func(t *testing.T) {
				store, err := boltstore.Open(filepath.Join(t.TempDir(), "agents.db"), boltstore.Options{})
				if err != nil {
					t.Fatal(err)
				}
				tell(t, file, store)
			})
		}
	})
	t.Run("redis", func(t *testing.T) {
		server := redistest.Start(t)
		for _, file := range files {
			t.Run(story(file), func(t *testing.T) {
				store, err := redisstore.Open(t.Context(), server.URL(), redisstore.Options{})
				if err != nil {
					t.Fatal(err)
				}
				tell(t, file, store)
			})
		}
	})
}

func story(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txtar") }

// tell runs one story. Each has a tenant of its own.
func tell(t *testing.T, file string, store agents.Store) {
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 1 || len(strings.TrimSpace(string(archive.Comment))) == 0 {
		t.Fatal("a story is a comment that says what must come out, and one file")
	}
	alone := archive.Files[0].Name == "alone"
	if alone && !store.Exclusive() {
		t.Skip("a story of a store that only one process can have open")
	}
	teller := newTeller(t, store, story(file), alone)
	for i, line := range strings.Split(string(archive.Files[0].Data), "\n") {
		line, _, _ = strings.Cut(line, "#")
		command, want, checked := strings.Cut(line, "->")
		if command = strings.TrimSpace(command); command == "" {
			continue
		}
		got := teller.do(strings.Fields(command))
		want = strings.TrimSpace(want)
		if checked && got != want || !checked && strings.HasPrefix(got, "error") {
			t.Fatalf("line %d: %s\n got: %s\nwant: %s", i+1, command, got, want)
		}
	}
}

// result shows what a command came to.
func result(good string, err error) string {
	var refused *agents.RefusedError
	var mismatch *agents.MismatchError
	switch {
	case err == nil:
		return good
	case errors.As(err, &refused):
		return "error " + string(refused.Reason)
	case errors.As(err, &mismatch):
		return "error mismatch " + mismatch.Field
	}
	for name, is := range map[string]error{
		"fenced": agents.ErrFenced, "leased": agents.ErrLeased, "interrupted": agents.ErrInterrupted,
		"nothing_pending": agents.ErrNothingPending, "unknown_parent": agents.ErrUnknownParent,
		"not_found": agents.ErrNotFound,
	} {
		if errors.Is(err, is) {
			return "error " + name
		}
	}
	return "error " + err.Error()
}
