package e2e

import (
	"testing"

	"trunkline/e2e/harness"
)

// everyStore runs the test on each engine, with a new and empty store.
func everyStore(t *testing.T, test func(t *testing.T, store string)) {
	t.Run("bbolt", func(t *testing.T) { test(t, "") })
	t.Run("redis", func(t *testing.T) { test(t, harness.StartRedis(t).URL()) })
}
