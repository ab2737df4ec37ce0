package proxy

import (
	"context"
	"net"
)

// DialUpstream makes the server's connections to the provider.
func (s *Server) DialUpstream(dial func(ctx context.Context, network, addr string) (net.Conn, error)) {
	s.up.client.DialContext = dial
}

// KeepHistories bounds the memory of the histories that the server keeps, in bytes.
func (s *Server) KeepHistories(limit int64) { s.branches.limit = limit }
