package redistest

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// patience bounds every wait for a server; it never decides a passing test.
const patience = 20 * time.Second

// Server is a redis-server process.
type Server struct {
	Addr string // host:port

	t    testing.TB
	dir  string
	args []string
	cmd  *exec.Cmd
	log  *logs
}

// Start starts a server with an append-only file, and waits until it answers. args are
// more options, as on redis-server's command line.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	port := freePort(t)
	s := &Server{Addr: net.JoinHostPort("127.0.0.1", port), t: t, dir: t.TempDir()}
	s.args = append([]string{
		"--port", port,
		"--bind", "127.0.0.1",
		"--dir", s.dir,
		"--save", "",
		"--appendonly", "yes",
		"--appendfsync", "no", // a killed process needs no fsync, and a busy disk may stall
		"--auto-aof-rewrite-percentage", "0",
	}, args...)
	s.run("Ready to accept connections")
	t.Cleanup(s.Kill)
	return s
}

// URL returns the address of database 0 as a store's URL.
func (s *Server) URL() string { return "redis://" + s.Addr + "/0" }

// Kill ends the process at once, as a crash would, and waits for its end.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended by itself
	<-s.log.ended
	_ = s.cmd.Wait() // "signal: killed" is as wanted
	s.cmd = nil
}

// Restart starts a killed server on the same port and directory.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	s.run("Ready to accept connections")
}

// Pause stops the process without closing its connections: it accepts, but never answers.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// Do runs one command and returns its answer; an error ends the test.
func (s *Server) Do(args ...any) any {
	s.t.Helper()
	client := s.client()
	defer client.Close()
	answer, err := client.Do(context.Background(), args...).Result()
	if err != nil {
		s.t.Fatalf("redis %v: %v", args, err)
	}
	return answer
}

// Follow makes the server a replica, and returns when it has what primary had and primary
// counts it as one.
func (s *Server) Follow(primary *Server) {
	s.t.Helper()
	host, port, _ := net.SplitHostPort(primary.Addr)
	s.Do("REPLICAOF", host, port)
	s.reach("master_link_status:up")
	s.reach("aof_rewrite_in_progress:0") // its file begins anew, and is synced: a busy disk stalls it
	_, port, _ = net.SplitHostPort(s.Addr)
	primary.reach("port=" + port + ",state=online") // later than the replica's word: with its first acknowledgement
}

// reach waits until the server says text of itself.
func (s *Server) reach(text string) {
	s.t.Helper()
	s.poll("the replica does not follow", func(ctx context.Context, client *redis.Client) error {
		info, err := client.Info(ctx).Result()
		if err == nil && !strings.Contains(info, text) {
			err = fmt.Errorf("it does not say %s:\n%s", text, info)
		}
		return err
	})
}

// Replicate returns when n replicas have what the server has taken so far.
func (s *Server) Replicate(n int) {
	s.t.Helper()
	client := s.client()
	defer client.Close()
	// WAIT looks at what its own connection has written.
	_, err := client.Pipelined(context.Background(), func(pipe redis.Pipeliner) error {
		pipe.Set(context.Background(), "redistest:mark", "", 0)
		pipe.Do(context.Background(), "WAIT", n, 0)
		return nil
	})
	if err != nil {
		s.t.Fatalf("wait for %d replicas: %v", n, err)
	}
}

func (s *Server) client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: s.Addr, PoolSize: 1, ReadTimeout: patience})
}

// run starts the process and waits until its log says ready.
func (s *Server) run(ready string) {
	s.t.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		s.t.Fatalf("this test runs a real Redis: install redis-server (Debian and Ubuntu: apt-get install redis-server): %v", err)
	}
	cmd := exec.Command(binary, s.args...)
	cmd.SysProcAttr = endWithParent()
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.cmd, s.log = cmd, follow(out)
	s.await(ready)
}

// await waits until the log says text.
func (s *Server) await(text string) {
	s.t.Helper()
	select {
	case <-s.log.await(text):
	case <-s.log.ended:
		s.t.Fatalf("redis-server %q ended:\n%s", s.args, s.log)
	case <-time.After(patience):
		s.t.Fatalf("redis-server %q did not say %q:\n%s", s.args, text, s.log)
	}
}

// poll asks until ask returns nil, for what Redis gives no event.
func (s *Server) poll(failure string, ask func(context.Context, *redis.Client) error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client := s.client()
	defer client.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ask(ctx, client)
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("%s: %v\n%s", failure, err, s.log)
		}
	}
}

// freePort returns a port that was free a moment ago, with a free one 10000 above it,
// where a cluster node has its bus.
func freePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // at the end: or the same port would come again
		port := l.Addr().(*net.TCPAddr).Port
		bus, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+10_000))
		if err != nil {
			continue
		}
		defer bus.Close()
		return strconv.Itoa(port)
	}
	t.Fatal("no free port")
	return ""
}
