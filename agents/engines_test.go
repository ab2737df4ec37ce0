package agents_test

import (
	"path/filepath"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/agents/redisstore"
	"trunkline/agents/redisstore/redistest"
	"trunkline/agents/storetest"
)

// The engines that TestWeave weaves on, each as what gives out an empty store again and again.

func inMemory(*testing.T) func(*testing.T) agents.Store {
	return func(*testing.T) agents.Store { return storetest.Memory() }
}

func onRedis(t *testing.T) func(*testing.T) agents.Store {
	server := redistest.Start(t)
	return func(t *testing.T) agents.Store {
		server.Do("FLUSHALL")
		store, err := redisstore.Open(t.Context(), server.URL(), redisstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}

func onBolt(*testing.T) func(*testing.T) agents.Store {
	return func(t *testing.T) agents.Store {
		store, err := boltstore.Open(filepath.Join(t.TempDir(), "agents.db"), boltstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}
