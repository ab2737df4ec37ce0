package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// maxBody bounds a request body, in bytes.
const maxBody = 256 << 20

// Server is a simulated provider. It is an [http.Handler]; [Server.Serve] runs
// it on a listener.
type Server struct {
	cfg      Config
	replicas []*cache
	journal  journal
	board    board

	mu       sync.Mutex
	ordinals map[string]int // conversation → its requests so far; never forgotten
}

// New returns a provider with empty caches.
func New(cfg Config) *Server {
	cfg = cfg.withDefaults()
	s := &Server{
		cfg:      cfg,
		journal:  journal{maxEntries: cfg.KeepRequests, maxBytes: cfg.KeepBytes},
		ordinals: make(map[string]int),
	}
	for range cfg.Replicas {
		s.replicas = append(s.replicas, newCache(cfg.CacheBlocks))
	}
	return s
}

// Serve serves on l until ctx ends, then cuts what is open, waits for it, and
// returns nil. It closes l. An accept error is returned.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	hs := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { hs.Close() })
	defer stop()
	err := hs.Serve(l)
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("sim: serve: %w", err)
	}
	return s.Await(context.WithoutCancel(ctx), func(st Stats) bool { return st.InFlight == 0 })
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/sim/requests":
		s.serveRequests(w)
		return
	case "/sim/stats":
		writeJSON(w, append(encode(s.Stats()), '\n'))
		return
	}
	s.board.update(func(st *Stats) { st.Requests++; st.InFlight++ })
	err := s.serveAPI(w, r)
	s.board.update(func(st *Stats) {
		st.InFlight--
		if errors.Is(err, errLeft) {
			st.Cancelled++
		}
	})
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) error {
	// net/http notices a client's leave only after the body has been read.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	e := s.journal.open(r, body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, "request_too_large", tooLarge.Error())
		return nil
	}
	if err != nil {
		return errLeft
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		refuse(w, http.StatusUnsupportedMediaType, "unsupported_encoding", "content encoding "+enc+" is not supported")
		return nil
	}
	switch r.Method + " " + r.URL.Path {
	case "POST " + s.cfg.Base + "/chat/completions":
		return s.generate(w, r, e, chat{lenient: s.cfg.Lenient})
	case "POST " + s.cfg.Base + "/responses":
		return s.generate(w, r, e, responses{})
	case "GET " + s.cfg.Base + "/models":
		writeJSON(w, encode(modelList(s.cfg.Models)))
		return nil
	}
	refuse(w, http.StatusNotFound, "not_found", "Invalid URL ("+r.Method+" "+r.URL.Path+")")
	return nil
}

// place names r's conversation and gives r its place in it.
func (s *Server) place(r *Request) {
	r.Conversation = s.cfg.Conversation(*r)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Ordinal = s.ordinals[r.Conversation]
	s.ordinals[r.Conversation]++
}

// ready fills in what a script may leave out, and drops what r's protocol cannot
// tell.
func (s *Server) ready(a Answer, r Request) Answer {
	a.Calls = slices.Clone(a.Calls) // scripts may return the same one again
	for i := range a.Calls {
		if a.Calls[i].ID == "" {
			a.Calls[i].ID = fmt.Sprintf("call_%06d_%d", r.Number, i)
		}
	}
	if r.noReasoning {
		a.Reasoning = ""
	}
	if a.Delay == 0 {
		a.Delay = s.cfg.EventDelay
	}
	return a
}
