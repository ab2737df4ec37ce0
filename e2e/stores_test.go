package e2e

import (
	"path/filepath"
	"testing"

	"trunkline/e2e/harness"
)

// everyStore runs the test on each engine. empty returns a new and empty store, as
// --store takes it; a test may ask for sixteen.
func everyStore(t *testing.T, test func(t *testing.T, empty func() string)) {
	t.Run("bbolt", func(t *testing.T) {
		test(t, func() string { return "file:" + filepath.Join(t.TempDir(), "agents.db") })
	})
	t.Run("redis", func(t *testing.T) {
		server := harness.StartRedis(t)
		database := -1
		test(t, func() string { database++; return server.Database(database) })
	})
}
