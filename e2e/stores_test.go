package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"trunkline/agents/redisstore/redistest"
	"trunkline/e2e/harness"
)

// everyStore runs the test on each engine, in the full sizes also on a cluster of three
// nodes. empty returns a new and empty store, as --store takes it, which takes the place of
// the one before; a test may ask for sixteen.
func everyStore(t *testing.T, test func(t *testing.T, empty func() string)) {
	t.Run("bbolt", func(t *testing.T) {
		test(t, func() string { return "file:" + filepath.Join(t.TempDir(), "agents.db") })
	})
	t.Run("redis", func(t *testing.T) { test(t, databases(harness.StartRedis(t))) })
	if os.Getenv("TRUNKLINE_FULL") != "" {
		t.Run("cluster", func(t *testing.T) { test(t, flushed(redistest.StartCluster(t, 3))) })
	}
}

// databases gives out a server's databases one after another.
func databases(server *harness.Redis) (empty func() string) {
	database := -1
	return func() string { database++; return server.Database(database) }
}

// flushed gives out a cluster again and again: a cluster has no databases. Nobody may use
// it any more who has it.
func flushed(cluster *redistest.Cluster) (empty func() string) {
	return func() string {
		for _, node := range cluster.Nodes {
			node.Do("FLUSHALL")
		}
		return cluster.URL()
	}
}
