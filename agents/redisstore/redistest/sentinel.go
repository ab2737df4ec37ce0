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

// StartSentinel starts a sentinel for primary, which by itself replaces a primary that does
// not answer for half a second.
func StartSentinel(t testing.TB, primary *Server) *Sentinel {
	t.Helper()
	port := freePort(t)
	host, primaryPort, _ := net.SplitHostPort(primary.Addr)
	s := &Sentinel{Master: "agents"}
	s.Addr, s.t, s.dir = net.JoinHostPort("127.0.0.1", port), t, t.TempDir()
	config := filepath.Join(s.dir, "sentinel.conf")
	text := fmt.Sprintf(`port %[1]s
bind 127.0.0.1
dir %[2]s
sentinel monitor %[3]s %[4]s %[5]s 1
sentinel down-after-milliseconds %[3]s 500
sentinel failover-timeout %[3]s 1000
`, port, s.dir, s.Master, host, primaryPort)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.args = []string{config, "--sentinel"}
	s.run("+monitor master")
	t.Cleanup(s.Kill)
	s.hurry()
	return s
}

// hurry has the sentinel ask the servers, and turn an earlier primary into a replica, at
// once rather than in ten seconds. A Redis before 7.0 cannot, and takes its time.
func (s *Sentinel) hurry() {
	client := s.client()
	defer client.Close()
	_ = client.Do(context.Background(), "SENTINEL", "DEBUG", "info-period", 100, "publish-period", 100).Err()
}

// URL returns the sentinel's address and its name of the primary as a store's URL.
func (s *Sentinel) URL() string { return "redis+sentinel://" + s.Addr + "/" + s.Master }

// Failover has the sentinel promote a replica of the primary, and returns when it has.
func (s *Sentinel) Failover() {
	s.t.Helper()
	s.await("+slave slave") // it has found the replica, but may not have asked it yet
	s.poll("no replica to promote", func(ctx context.Context, client *redis.Client) error {
		return client.Do(ctx, "SENTINEL", "FAILOVER", s.Master).Err()
	})
	s.await("+switch-master")
}

// Demoted returns when the sentinel has made a replica of an earlier primary.
func (s *Sentinel) Demoted() { s.t.Helper(); s.await("+convert-to-slave") }

// Primary returns the address of the server that the sentinel has for the primary now.
func (s *Sentinel) Primary() string {
	s.t.Helper()
	at, _ := s.Do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", s.Master).([]any)
	if len(at) != 2 {
		s.t.Fatalf("the sentinel has %v for the primary", at)
	}
	return net.JoinHostPort(fmt.Sprint(at[0]), fmt.Sprint(at[1]))
}
