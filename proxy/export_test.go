package proxy

import (
	"context"
	"net"
)

// DialUpstream makes the server's connections to the provider.
func (s *Server) DialUpstream(dial func(ctx context.Context, network, addr string) (net.Conn, error)) {
	s.up.client.DialContext = dial
}
