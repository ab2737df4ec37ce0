package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// A client that has connected ahead of need does not hold up a shutdown.
func TestShutdownDoesNotWaitForUnusedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := make(pipes)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- serveHTTP(ctx, listener, http.NotFoundHandler(), time.Hour, slog.New(slog.DiscardHandler))
		}()
		client, server := net.Pipe()
		defer client.Close()
		listener <- server
		synctest.Wait()

		began := time.Now()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		// net/http asks again every few milliseconds, and gives such a connection 5 s.
		if took := time.Since(began); took > time.Second {
			t.Errorf("the shutdown took %s", took)
		}
	})
}
