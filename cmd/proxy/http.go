package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// errShutdown is the cause with which requests end that outlived the drain.
var errShutdown = errors.New("the proxy shuts down")

// settleBound is how long a cut request may take to put its affairs in order.
const settleBound = 5 * time.Second

// serveHTTP serves h on l until ctx ends. Then it accepts nothing more, lets
// open requests end for as long as drain, and cuts the rest by cancelling their
// contexts with errShutdown. When it returns nil, all handlers have returned,
// or did not within settleBound of being cut; what they use can be closed.
//
// There is no limit on the length of an answer: streams are long.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, drain time.Duration, log *slog.Logger) error {
	requests, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	fresh := unused{conns: map[net.Conn]struct{}{}}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ConnState:         fresh.note,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}

	log.Info("shutting down", "drain", drain)
	fresh.close()
	if !shutdown(server, drain) {
		log.Warn("cutting the requests that are still open", "drain", drain)
		cut(errShutdown)
		if !shutdown(server, settleBound) {
			log.Warn("some requests do not end")
			server.Close()
		}
	}
	<-ended
	return nil
}

// shutdown stops accepting and tells whether all requests ended within bound.
func shutdown(server *http.Server, bound time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	return server.Shutdown(ctx) == nil
}
