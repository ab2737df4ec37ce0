package proxy

import (
	"context"
	"iter"
	"net"
)

// DialUpstream makes the server's connections to the provider.
func (s *Server) DialUpstream(dial func(ctx context.Context, network, addr string) (net.Conn, error)) {
	s.up.client.DialContext = dial
}

// APIRoutes yields the method and the path of each call of the agents API.
func APIRoutes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for path, calls := range apiCalls {
			for method := range calls {
				if !yield(method + " " + path) {
					return
				}
			}
		}
	}
}

// KeepHistories bounds the memory of the histories that the server keeps, in bytes.
func (s *Server) KeepHistories(limit int64) { s.branches.limit = limit }
