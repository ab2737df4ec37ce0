package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Sentinel is one sentinel process that watches a primary.
type Sentinel struct {
	Server
	Master string // the name that it has for the primary
}

// StartSentinel starts a sentinel for primary.
func StartSentinel(t testing.TB, primary *Server) *Sentinel {
	t.Helper()
	port := freePort(t)
	host, primaryPort, _ := net.SplitHostPort(primary.Addr)
	s := &Sentinel{Master: "agents"}
	s.Addr, s.t, s.dir = net.JoinHostPort("127.0.0.1", port), t, t.TempDir()
	config := filepath.Join(s.dir, "sentinel.conf")
	text := fmt.Sprintf("port %s\nbind 127.0.0.1\ndir %s\nsentinel monitor %s %s %s 1\n", port, s.dir, s.Master, host, primaryPort)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.args = []string{config, "--sentinel"}
	s.run("+monitor master")
	t.Cleanup(s.Kill)
	return s
}

// URL returns the sentinel's address and its name of the primary as a store's URL.
func (s *Sentinel) URL() string { return "redis+sentinel://" + s.Addr + "/" + s.Master }

// Failover has the sentinel promote the primary's replica, and returns when it has.
func (s *Sentinel) Failover() {
	s.t.Helper()
	s.await("+slave slave") // it has found the replica, but may not have asked it yet
	s.poll("no replica to promote", func(ctx context.Context, client *redis.Client) error {
		return client.Do(ctx, "SENTINEL", "FAILOVER", s.Master).Err()
	})
	s.await("+switch-master")
}
