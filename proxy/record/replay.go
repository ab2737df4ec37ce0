package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/prefix"
	"trunkline/proxy"
)

// Options of a replay. The zero value is usable.
type Options struct {
	// Adjust changes the settings under which a session is replayed; nil keeps those that
	// it was recorded under.
	Adjust func(*Settings)
	// Stall bounds the wait for something that was recorded and does not happen. Zero: 30 s.
	Stall time.Duration
	// Ask also sends each request to another provider, and returns the usage that it
	// reports. Path is below the provider's base URL. nil: nobody is asked.
	Ask func(ctx context.Context, method, path string, body []byte) (prefix.Usage, error)
	// Log defaults to discarding.
	Log *slog.Logger
}

// Replay sends a session's client requests through a fresh proxy with a store of its own.
// Its provider is a stub on a loopback address that answers from the recording, with the
// recorded boundaries between chunks.
//
// What overlapped in the recording overlaps here: the events of the session happen one
// after another in their recorded order, each once the one before has taken effect, down to
// each read and write of an agent's record. A recording without those (an older one) leaves
// open which of two agents came first that the proxy worked on within the same moment; a
// difference there says so. No time passes between events, so what came by the clock (a lease
// that lapsed, a residency that ended) does not come again.
//
// An error means that the replay could not run; differences are in the report.
func (s *Session) Replay(ctx context.Context, o Options) (_ *Report, err error) {
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(s.Exchanges) == 0 {
		return nil, fmt.Errorf("%s: %w: it holds no exchange", s.Name, ErrFormat)
	}
	dir, err := os.MkdirTemp("", "replay-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := boltstore.Open(filepath.Join(dir, "agents.db"), boltstore.Options{Unsynced: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	p := newPlayer(s, o)
	provider, err := serve(p.provider())
	if err != nil {
		return nil, err
	}
	defer provider.stop()
	settings := s.Exchanges[0].Settings
	if o.Adjust != nil {
		o.Adjust(&settings)
	}
	p.base = settings.Base
	config, err := settings.config(provider.url)
	if err != nil {
		return nil, err
	}
	service := agents.New(agents.Config{Store: gated{store}, Holder: "replay", Log: o.Log})
	config.Agents, config.Recorder, config.Log = service, p, o.Log
	handler, err := proxy.New(config)
	if err != nil {
		return nil, err
	}
	edge, err := serve(p.edge(handler))
	if err != nil {
		return nil, err
	}
	defer edge.stop()
	p.url = edge.url

	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	ran := make(chan error, 1)
	go func() { ran <- service.Run(running) }()
	defer func() { stop(); err = errors.Join(err, <-ran) }()
	if err := p.play(ctx); err != nil {
		return nil, err
	}
	return p.report(), nil
}

// server is an HTTP server on a free loopback port.
type server struct {
	url  string
	http *http.Server
	done chan struct{}
}

func serve(h http.Handler) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{"http://" + l.Addr().String(), &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}, make(chan struct{})}
	go func() { defer close(s.done); s.http.Serve(l) }()
	return s, nil
}

// stop cuts what is open.
func (s *server) stop() {
	s.http.Close()
	<-s.done
}
