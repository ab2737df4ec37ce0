package main

import (
	"net"
	"net/http"
	"sync"
)

// unused are the connections that have not carried a byte yet. Clients open some
// ahead of need; a server that drains would wait five seconds for each of them.
type unused struct {
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
}

// note is a server's ConnState.
func (u *unused) note(c net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.conns, c)
	case u.closed:
		c.Close()
	default:
		u.conns[c] = struct{}{}
	}
}

// close closes them, and those that are accepted from now on.
func (u *unused) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for c := range u.conns {
		c.Close()
	}
}
