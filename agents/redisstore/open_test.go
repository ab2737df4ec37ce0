package redisstore_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"trunkline/agents"
	"trunkline/agents/redisstore"
	"trunkline/agents/redisstore/redistest"
)

func TestOpenUnfitServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		url  func(t *testing.T) string
		want string
	}{
		{"eviction", func(t *testing.T) string {
			return redistest.Start(t, "--maxmemory-policy", "allkeys-lru").URL()
		}, "maxmemory-policy allkeys-lru, which may drop agents: set it to noeviction"},
		{"eviction of one cluster node", func(t *testing.T) string {
			cluster := redistest.StartCluster(t, 2)
			cluster.Nodes[1].Do("CONFIG", "SET", "maxmemory-policy", "volatile-ttl")
			return cluster.URL()
		}, "maxmemory-policy volatile-ttl"},
		{"an old server", func(t *testing.T) string {
			return "redis://" + aged(t, redistest.Start(t))
		}, ", at least 6.2 is needed"},
		{"a replica", func(t *testing.T) string {
			replica := redistest.Start(t)
			replica.Do("REPLICAOF", "127.0.0.1", "1")
			return replica.URL()
		}, "is a replica"},
		{"a cluster's node alone", func(t *testing.T) string {
			return redistest.StartCluster(t, 1).Nodes[0].URL()
		}, "use redis+cluster://"},
		{"no cluster", func(t *testing.T) string {
			return "redis+cluster://" + redistest.Start(t).Addr
		}, "cluster support disabled"},
		{"no password", func(t *testing.T) string {
			return redistest.Start(t, "--requirepass", "secret").URL()
		}, "NOAUTH"},
		{"a wrong password", func(t *testing.T) string {
			server := redistest.Start(t, "--requirepass", "secret")
			return "redis://default:wrong@" + server.Addr
		}, "WRONGPASS"},
		{"no such database", func(t *testing.T) string {
			return "redis://" + redistest.Start(t).Addr + "/99"
		}, "DB index is out of range"},
		{"a newer schema", func(t *testing.T) string {
			server := redistest.Start(t)
			server.Do("SET", "trunkline:schema", "2")
			return server.URL()
		}, `schema "2", this program knows 1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			unfit(t, test.url(t), test.want)
		})
	}
}

func TestOpenUnfitURL(t *testing.T) {
	for url, want := range map[string]string{
		"":                                          "no scheme",
		"localhost:6379":                            "no scheme",
		"redis:secret@localhost":                    "no scheme",
		"redis://:secret/2@a":                       "not host:port",
		"redis://user:secret/2@a":                   "not host:port",
		"http://:secret@localhost":                  "unknown scheme",
		"redis+ring://:secret@a,b":                  "unknown scheme",
		"redis://:secret@a,b":                       "several hosts",
		"redis://:secret@a:1:2":                     "not host:port",
		"redis://:secret@a:port":                    "not host:port",
		"redis+cluster://:secret@[::1]:x":           "not host:port",
		"redis://:secret@a/x":                       "database",
		"redis://:secret@a?max_retries=3":           "tried once",
		"redis://:secret@a?colour=red":              "colour",
		"redis://:secret@a?wait_replicas=some":      "want a number of replicas",
		"redis+cluster://:secret@a?wait_replicas=1": "not for clusters",
		"redis+sentinel://:secret@a,b":              "name of the primary",
		"redis+sentinel://:secret@a,,b/m":           "not host:port",
		"redis+sentinel://:secret@a/m/x":            "database",
		"redis+cluster://:secret@a,b/1":             "no databases",
		"redis+cluster://:secret@a?read_only=true":  "lag behind",
	} {
		t.Run(url, func(t *testing.T) { unfit(t, url, want) })
	}
}

func unfit(t *testing.T, url, want string) {
	t.Helper()
	_, err := redisstore.Open(t.Context(), url, redisstore.Options{})
	if !errors.Is(err, agents.ErrUnfit) || !strings.Contains(err.Error(), want) {
		t.Fatalf("Open = %v, want ErrUnfit that says %q", err, want)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Fatalf("Open tells the password: %v", err)
	}
}

func TestOpenUnreachable(t *testing.T) {
	t.Parallel()
	silent := redistest.Start(t)
	silent.Pause()
	full := redistest.Start(t, "--maxclients", "1")
	hold(t, full.Addr)
	closed := closedAddress(t)
	for name, url := range map[string]string{
		"no server":        "redis://" + closed,
		"no sentinel":      "redis+sentinel://" + closed + "/agents",
		"no cluster":       "redis+cluster://" + closed,
		"a silent server":  silent.URL(),
		"a silent cluster": "redis+cluster://" + silent.Addr,
		"a full server":    full.URL(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := redisstore.Open(t.Context(), url, redisstore.Options{}); !errors.Is(err, agents.ErrUnavailable) {
				t.Fatalf("Open = %v, want ErrUnavailable", err)
			}
		})
	}
}

// TestOpenWithTLSWhereThereIsNone: redis waits there for more of what it takes for a command.
func TestOpenWithTLSWhereThereIsNone(t *testing.T) {
	t.Parallel()
	_, err := redisstore.Open(t.Context(), "rediss://"+redistest.Start(t).Addr, redisstore.Options{})
	if !errors.Is(err, agents.ErrUnavailable) || !strings.Contains(err.Error(), "redis gives no answer") {
		t.Fatalf("Open = %v, want ErrUnavailable that says that there is no answer", err)
	}
}

// closedAddress returns an address at which nobody listens.
func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// hold takes a connection until the test ends.
func hold(t *testing.T, addr string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
}

func TestOpenWarns(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(server *redistest.Server)
		want    string
	}{
		{"INFO forbidden", func(server *redistest.Server) {
			server.Do("ACL", "SETUSER", "agent", "on", ">pw", "~trunkline:*", "&trunkline:*", "+@all", "-info")
		}, "were not checked"},
		{"no append-only file", func(server *redistest.Server) {
			server.Do("ACL", "SETUSER", "agent", "on", ">pw", "~*", "&*", "+@all")
			server.Do("CONFIG", "SET", "appendonly", "no")
		}, "no append-only file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := redistest.Start(t)
			test.prepare(server)
			var log bytes.Buffer
			s, err := redisstore.Open(t.Context(), "redis://agent:pw@"+server.Addr, redisstore.Options{
				Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if !strings.Contains(log.String(), test.want) {
				t.Fatalf("the log says %q, want %q", log.String(), test.want)
			}
			if _, err := s.Commit(t.Context(), agents.Key{ID: "a"}, agents.Change{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// aged passes connections on to a server, and makes it say that its version begins with 5.
func aged(t *testing.T, server *redistest.Server) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	t.Cleanup(func() { l.Close(); conns.Wait() })
	conns.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", server.Addr)
			if err != nil {
				t.Error(err)
				client.Close()
				continue
			}
			conns.Go(func() { io.Copy(up, client); up.Close() })
			conns.Go(func() {
				defer client.Close()
				for buf := make([]byte, 64<<10); ; {
					n, err := up.Read(buf)
					if err != nil {
						return
					}
					if i := bytes.Index(buf[:n], []byte("redis_version:")); i >= 0 {
						buf[i+len("redis_version:")] = '5'
					}
					client.Write(buf[:n])
				}
			})
		}
	})
	return l.Addr().String()
}
