package harness

import (
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// Redis is a Redis server of the test's own. What it acknowledged it has
// written to its file, so that it can be killed.
type Redis struct {
	*Process
	Addr string // 127.0.0.1:PORT
	dir  string
}

// StartRedis starts redis-server with an empty data directory. A machine
// without the program fails the test: there is nothing to take its place.
func StartRedis(t testing.TB) *Redis {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("redis-server is missing; `make deps` installs it, or says how")
	}
	r := &Redis{dir: t.TempDir()}
	// Redis cannot say which port the system chose. One that was free a moment
	// ago may be taken now; then the server ends and another port is tried.
	var err error
	for range 5 {
		if r.Addr, err = freeAddr(); err != nil {
			break
		}
		if r.Process, err = r.start(t); err == nil {
			return r
		}
	}
	t.Fatal(err)
	return nil
}

// URL returns the server's first database as --store takes it.
func (r *Redis) URL() string { return r.Database(0) }

// Database returns one of the server's sixteen databases as --store takes it.
func (r *Redis) Database(n int) string { return fmt.Sprintf("redis://%s/%d", r.Addr, n) }

// Restart starts a stopped or killed server again, on the same port and data.
func (r *Redis) Restart(t testing.TB) {
	t.Helper()
	var err error
	if r.Process, err = r.start(t); err != nil {
		t.Fatal(err)
	}
}

func (r *Redis) start(t testing.TB) (*Process, error) {
	t.Helper()
	_, port, err := net.SplitHostPort(r.Addr)
	if err != nil {
		return nil, err
	}
	server := exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port,
		"--dir", r.dir, "--save", "", "--appendonly", "yes",
		"--appendfsync", "no") // a killed process needs no fsync, and a busy disk may stall
	return start(t, server, func(line string) bool {
		return strings.Contains(line, "Ready to accept connections")
	})
}

func freeAddr() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
