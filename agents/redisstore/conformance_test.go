package redisstore_test

import (
	"testing"

	"trunkline/agents"
	"trunkline/agents/redisstore"
	"trunkline/agents/redisstore/redistest"
	"trunkline/agents/storetest"
)

func TestConformance(t *testing.T) {
	server := redistest.Start(t)
	conform(t, server.URL(), server)
	storetest.Durable(t, func(t *testing.T) storetest.Place {
		server.Do("FLUSHALL")
		restart := false
		return func() agents.Store {
			if restart {
				server.Restart()
			}
			restart = true
			return open(t, server.URL())
		}
	})
}

func TestConformanceOnCluster(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t, 3)
	conform(t, cluster.URL(), cluster.Nodes...)
}

func TestConformanceBehindSentinel(t *testing.T) {
	server := redistest.Start(t)
	conform(t, redistest.StartSentinel(t, server).URL(), server)
}

func conform(t *testing.T, url string, servers ...*redistest.Server) {
	empty := func(t *testing.T) storetest.Place {
		for _, server := range servers {
			server.Do("FLUSHALL")
			server.Do("SCRIPT", "FLUSH")
		}
		return func() agents.Store { return open(t, url) }
	}
	storetest.Run(t, func(t *testing.T) agents.Store { return empty(t)() })
	storetest.Shared(t, empty)
}

// open opens a store that the caller closes.
func open(t testing.TB, url string) *redisstore.Store {
	t.Helper()
	s, err := redisstore.Open(t.Context(), url, redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
