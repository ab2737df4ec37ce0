package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"syscall"
)

// listenAddress is a host and a port to listen on; port 0 is any free one.
type listenAddress struct{ host, port string }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (a *listenAddress) UnmarshalText(text []byte) error {
	host, port, err := net.SplitHostPort(string(text))
	if err != nil {
		return fmt.Errorf("want HOST:PORT, got %q", text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("want a port from 0 to 65535, got %q", text)
	}
	*a = listenAddress{host, port}
	return nil
}

func (a listenAddress) String() string { return net.JoinHostPort(a.host, a.port) }

// loopback tells whether only this machine can reach the address. Of names it
// knows one: what others resolve to may change after it was asked.
func (a listenAddress) loopback() bool {
	return a.host == "localhost" || net.ParseIP(a.host).IsLoopback()
}

// serves tells whether a request to u comes to this address. Port 0 is not known yet.
func (a listenAddress) serves(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	here, there := a.host, listenAddress{u.Hostname(), port}
	if here == "localhost" {
		here = "127.0.0.1"
	}
	if there.host == "localhost" {
		there.host = "127.0.0.1"
	}
	everywhere := here == "" || net.ParseIP(here).IsUnspecified()
	return a.port == there.port && (here == there.host || everywhere && there.loopback())
}

// open listens, and says where in one line that begins with "listening on",
// for people and for programs that asked for port 0.
func (a listenAddress) open(ctx context.Context, stdout io.Writer) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", a.String())
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("--listen=%s: another process listens there; name another port, or 0 for any that is free", a)
	} else if err != nil {
		return nil, fmt.Errorf("--listen=%s: %w", a, err)
	}
	if _, err := fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr()); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}
