package harness

import (
	"bufio"
	"fmt"
	"net"
	"testing"
)

// TestRedisKeepsWhatItAcknowledged kills a server and starts it again.
func TestRedisKeepsWhatItAcknowledged(t *testing.T) {
	r := StartRedis(t)
	ask(t, r, "SET key value", "+OK")
	r.Kill()
	r.Restart(t)
	ask(t, r, "EXISTS key", ":1")
	r.Stop(t)
}

func TestRedisServersShareNothing(t *testing.T) {
	one, other := StartRedis(t), StartRedis(t)
	ask(t, one, "SET key value", "+OK")
	ask(t, other, "EXISTS key", ":0")
}

// ask sends one inline command and demands its one-line reply.
func ask(t *testing.T, r *Redis, command, want string) {
	t.Helper()
	connection, err := net.Dial("tcp", r.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "%s\r\n", command)
	if got, err := bufio.NewReader(connection).ReadString('\n'); err != nil || got != want+"\r\n" {
		t.Errorf("%s: %q, %v; want %q", command, got, err, want)
	}
}
