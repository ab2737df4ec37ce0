package redisstore_test

import (
	"testing"

	"trunkline/agents"
	"trunkline/agents/redisstore/redistest"
	"trunkline/agents/storetest"
)

func TestFailover(t *testing.T) {
	t.Parallel()
	primary, replica := redistest.Start(t, "--repl-diskless-sync-delay", "0"), redistest.Start(t)
	replica.Follow(primary) // a sentinel may ask for replicas every 10 s only, first at its start
	sentinel := redistest.StartSentinel(t, primary)
	s := open(t, sentinel.URL())
	defer s.Close()
	hints := storetest.Hints(t, s)

	version, err := s.Commit(t.Context(), key, agents.Change{Data: []byte("kept")})
	if err != nil {
		t.Fatal(err)
	}
	primary.Replicate(1) // failover keeps what was replicated
	sentinel.Failover()

	storetest.AwaitHint(t, hints, agents.Key{})
	stored, err := s.Load(t.Context(), key)
	if err != nil || string(stored.Data) != "kept" {
		t.Fatalf("after the failover, Load = %q, %v", stored.Data, err)
	}
	if _, err := s.Commit(t.Context(), key, agents.Change{Version: version}); err != nil {
		t.Fatalf("after the failover, Commit = %v", err)
	}
}
