package redisstore_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"trunkline/agents"
	"trunkline/agents/redisstore/redistest"
)

// wire passes connections on to a server, until it is told to lose the answer to the
// next script.
type wire struct {
	net.Listener
	to      string
	lose    atomic.Bool
	scripts atomic.Int32 // how many scripts were sent
}

func newWire(t *testing.T) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &wire{Listener: l}
}

func (w *wire) run(t *testing.T, to string) {
	w.to = to
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			client, err := w.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { w.pass(client) })
		}
	})
	t.Cleanup(func() {
		w.Close()
		conns.Wait()
	})
}

// pass closes both sides as soon as one ends.
func (w *wire) pass(client net.Conn) {
	server, err := net.Dial("tcp", w.to)
	if err != nil {
		client.Close()
		return
	}
	var lost atomic.Bool
	var sides sync.WaitGroup
	sides.Go(func() {
		defer server.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := client.Read(buffer)
			if bytes.Contains(bytes.ToLower(buffer[:n]), []byte("\r\nevalsha\r\n")) {
				w.scripts.Add(1)
				if w.lose.CompareAndSwap(true, false) {
					lost.Store(true)
				}
			}
			if _, werr := server.Write(buffer[:n]); err != nil || werr != nil {
				return
			}
		}
	})
	sides.Go(func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if lost.Load() { // it has answered, so it has run the script
				return
			}
			if _, werr := client.Write(buffer[:n]); err != nil || werr != nil {
				return
			}
		}
	})
	sides.Wait()
}

// A commit whose answer was lost is not sent again: that would meet its own effect and
// report a conflict. The caller reads, and finds it made.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(t *testing.T, w *wire) (url string){
		"one server": func(t *testing.T, w *wire) string {
			w.run(t, redistest.Start(t).Addr)
			return "redis://" + w.Addr().String()
		},
		"cluster": func(t *testing.T, w *wire) string {
			// The node tells clients to come through the wire.
			_, port, _ := net.SplitHostPort(w.Addr().String())
			cluster := redistest.StartCluster(t, 1, "--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port", port)
			w.run(t, cluster.Nodes[0].Addr)
			return "redis+cluster://" + w.Addr().String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			s := open(t, place(t, w))
			defer s.Close()
			first, err := s.Commit(t.Context(), key, agents.Change{Data: []byte("first")})
			if err != nil {
				t.Fatal(err)
			}
			sent := w.scripts.Load()
			w.lose.Store(true)
			_, err = s.Commit(t.Context(), key, agents.Change{Version: first, Data: []byte("second")})
			if !errors.Is(err, agents.ErrUnavailable) || !errors.Is(err, io.EOF) {
				t.Fatalf("Commit = %v, want ErrUnavailable for a lost connection", err)
			}
			if got := w.scripts.Load() - sent; got != 1 {
				t.Fatalf("the commit was sent %d times", got)
			}
			stored, err := s.Load(t.Context(), key)
			if err != nil || string(stored.Data) != "second" {
				t.Fatalf("Load = %q, %v; want the commit made", stored.Data, err)
			}
		})
	}
}
