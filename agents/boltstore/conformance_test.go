package boltstore_test

import (
	"path/filepath"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/agents/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) agents.Store { return open(t, path(t)) })
}

func TestDurable(t *testing.T) {
	storetest.Durable(t, func(t *testing.T) storetest.Place {
		file := path(t)
		return func() agents.Store { return open(t, file) }
	})
}

func path(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "agents.db") }

// open opens a store that the caller closes.
func open(t testing.TB, path string) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
