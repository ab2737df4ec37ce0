package redisstore_test

import (
	"errors"
	"strings"
	"testing"

	"trunkline/agents"
	"trunkline/agents/redisstore"
	"trunkline/agents/redisstore/redistest"
	"trunkline/agents/storetest"
)

var key = agents.Key{Tenant: "local", ID: "a"}

// calls are all that reach a server.
func calls(t *testing.T, s agents.Store) map[string]error {
	_, load := s.Load(t.Context(), key)
	_, commit := s.Commit(t.Context(), key, agents.Change{Version: 1})
	_, blobs := s.Blobs(t.Context(), []agents.BlobRef{{Owner: key, ID: "b"}})
	_, members := s.Members(t.Context(), key)
	_, _, roots := s.Roots(t.Context(), "", 1)
	return map[string]error{
		"Load": load, "Commit": commit, "Blobs": blobs, "Members": members, "Roots": roots,
		"Delete": s.Delete(t.Context(), key, 1),
		"Enroll": s.Enroll(t.Context(), key, key.ID),
		"Strike": s.Strike(t.Context(), key, agents.Member{ID: key.ID}),
		"Check":  s.Check(t.Context()),
	}
}

func wantUnavailable(t *testing.T, s agents.Store) {
	t.Helper()
	for call, err := range calls(t, s) {
		if !errors.Is(err, agents.ErrUnavailable) {
			t.Errorf("%s = %v, want ErrUnavailable", call, err)
		}
	}
}

func TestKilledServer(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server.URL())
	defer s.Close()
	hints := storetest.Hints(t, s)
	version, err := s.Commit(t.Context(), key, agents.Change{Data: []byte("kept"), Put: []agents.Blob{{ID: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	storetest.AwaitHint(t, hints, key)

	server.Kill()
	wantUnavailable(t, s)

	server.Restart()
	storetest.AwaitHint(t, hints, agents.Key{}) // case 74: it subscribed again, and says so
	if stored, err := s.Load(t.Context(), key); err != nil || string(stored.Data) != "kept" || stored.Version != version {
		t.Fatalf("after a restart, Load = %q at %d, %v", stored.Data, stored.Version, err)
	}
	if _, err := s.Commit(t.Context(), key, agents.Change{Version: version}); err != nil {
		t.Fatalf("after a restart, Commit = %v", err)
	}
	storetest.AwaitHint(t, hints, key)
}

// A server that accepts and never answers ends each call at the read timeout.
func TestSilentServer(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server.URL()+"?read_timeout=50ms&dial_timeout=50ms")
	defer s.Close()
	server.Pause()
	wantUnavailable(t, s)
	server.Resume()
	if err := s.Check(t.Context()); err != nil {
		t.Fatalf("after a pause, Check = %v", err)
	}
}

func TestKilledClusterNode(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t, 3)
	s := open(t, cluster.URL())
	defer s.Close()
	for _, node := range cluster.Nodes {
		node.Kill()
	}
	wantUnavailable(t, s)
}

func TestFullServer(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server.URL())
	defer s.Close()
	version, err := s.Commit(t.Context(), key, agents.Change{Data: []byte("kept"), Put: []agents.Blob{{ID: "b", Data: []byte("b")}}})
	if err != nil {
		t.Fatal(err)
	}
	server.Do("CONFIG", "SET", "maxmemory", "1")
	change := agents.Change{Version: version, Put: []agents.Blob{{ID: "c"}}, Drop: []string{"b"}}
	if _, err := s.Commit(t.Context(), key, change); !errors.Is(err, agents.ErrUnavailable) {
		t.Fatalf("Commit = %v, want ErrUnavailable", err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, agents.ErrUnavailable) {
		t.Fatalf("Check = %v, want ErrUnavailable", err)
	}
	stored, err := s.Load(t.Context(), key)
	if err != nil || stored.Version != version {
		t.Fatalf("Load = version %d, %v; want %d", stored.Version, err, version)
	}
	blobs, err := s.Blobs(t.Context(), []agents.BlobRef{{Owner: key, ID: "b"}, {Owner: key, ID: "c"}})
	if err != nil || string(blobs[0]) != "b" || blobs[1] != nil {
		t.Fatalf("the refused commit left blobs %q, %v", blobs, err)
	}

	// Space can be made while memory is short.
	if err := s.Delete(t.Context(), key, version); err != nil {
		t.Fatalf("Delete = %v", err)
	}
}

// A server that is asked to keep what it takes on a replica refuses to take anything while it
// has none: it may have been replaced already.
func TestServerWithoutItsReplica(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server.URL())
	defer s.Close()
	version, err := s.Commit(t.Context(), key, agents.Change{Data: []byte("kept")})
	if err != nil {
		t.Fatal(err)
	}
	server.Do("CONFIG", "SET", "min-replicas-to-write", "1")
	if _, err := s.Commit(t.Context(), key, agents.Change{Version: version, Data: []byte("lost")}); !errors.Is(err, agents.ErrUnavailable) {
		t.Errorf("Commit = %v, want ErrUnavailable", err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, agents.ErrUnavailable) {
		t.Errorf("Check = %v, want ErrUnavailable", err)
	}
	if stored, err := s.Load(t.Context(), key); err != nil || string(stored.Data) != "kept" || stored.Version != version {
		t.Errorf("Load = %q at %d, %v", stored.Data, stored.Version, err)
	}
	if _, err := redisstore.Open(t.Context(), server.URL(), redisstore.Options{}); !errors.Is(err, agents.ErrUnavailable) {
		t.Errorf("Open = %v, want ErrUnavailable", err)
	}
}

// TestWaitReplicas: what counts only when a replica has it is on the replica when it counts,
// and counts for nothing while no replica takes it.
func TestWaitReplicas(t *testing.T) {
	t.Parallel()
	primary := redistest.Start(t, "--repl-diskless-sync-delay", "0")
	url := primary.URL() + "?wait_replicas=1"
	if _, err := redisstore.Open(t.Context(), url, redisstore.Options{}); !errors.Is(err, agents.ErrUnavailable) || !strings.Contains(err.Error(), "wait_replicas") {
		t.Errorf("without a replica, Open = %v, want ErrUnavailable that says why", err)
	}
	replica := redistest.Start(t)
	replica.Follow(primary)
	s := open(t, url)
	defer s.Close()
	version, err := s.Commit(t.Context(), key, agents.Change{Data: []byte("kept")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), key, agents.Change{Version: version + 1}); !errors.Is(err, agents.ErrConflict) {
		t.Errorf("Commit of another version = %v, want ErrConflict", err)
	}

	replica.Pause()
	if _, err := s.Commit(t.Context(), key, agents.Change{Version: version, Data: []byte("uncertain")}); !errors.Is(err, agents.ErrUnavailable) {
		t.Errorf("without its replica, Commit = %v, want ErrUnavailable", err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, agents.ErrUnavailable) {
		t.Errorf("without its replica, Check = %v, want ErrUnavailable", err)
	}
	replica.Resume()
	primary.Replicate(1)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("with its replica, Check = %v", err)
	}

	primary.Kill()
	replica.Do("REPLICAOF", "NO", "ONE")
	after := open(t, replica.URL())
	defer after.Close()
	if stored, err := after.Load(t.Context(), key); err != nil || string(stored.Data) != "uncertain" {
		t.Errorf("on the replica, Load = %q, %v", stored.Data, err)
	}
}
