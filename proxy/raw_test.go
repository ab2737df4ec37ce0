package proxy_test

import (
	"io"
	"net"
	"strings"
	"testing"
)

// dialRaw opens a bare connection to a server.
func dialRaw(t testing.TB, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// raw writes these bytes to a server and returns all that it answers.
func raw(t testing.TB, url, request string) string {
	t.Helper()
	conn := dialRaw(t, url)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("after %q: %v", answer, err)
	}
	return string(answer)
}
