package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy/api"
)

// Server is the handler of the client side.
type Server struct {
	Config
	up       *upstream
	inflight inflight
	branches *branches
	echoes   *prefix.Echoes
	asides   asides
	// estimating: a prompt's tokens are being guessed
	estimating atomic.Bool
	stages     stages
	index      *reuse.Index
	api        *api.Server
	mux        *http.ServeMux
	drained    context.Context // ends when the server drains
	drain      context.CancelFunc
}

// New checks the configuration and returns a Server that is ready to serve.
func New(c Config) (*Server, error) {
	c.defaults()
	if c.Provider.Name == "" && len(c.Upstreams) > 0 {
		c.Provider = reuse.ByURL(c.Upstreams[0])
	}
	up, err := newUpstream(&c)
	if err != nil {
		return nil, err
	}
	if c.Agents == nil {
		return nil, errors.New("no agents service is given")
	}
	s := &Server{Config: c, up: up, branches: newBranches(c.Agents.Store), echoes: prefix.NewEchoes(1 << 16), index: reuse.NewIndex(reuse.IndexConfig{}), mux: http.NewServeMux()}
	s.inflight.limit = c.MaxBodies
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	s.mux.HandleFunc("GET /readyz", s.ready)
	s.mux.HandleFunc("GET /{$}", s.front)
	s.mux.HandleFunc("GET /status", s.status)
	if c.Metrics == nil {
		c.Metrics = http.NotFoundHandler() // never the provider's
	}
	s.mux.Handle("GET /metrics", c.Metrics)
	s.drained, s.drain = context.WithCancel(context.Background())
	s.routeAPI()
	return s, nil
}

// Drain makes /readyz say that no new traffic is wanted, and ends what only waits.
func (s *Server) Drain() { s.drain() }

// ready answers 200 while anything can be served, so that a balancer keeps sending the
// traffic that needs no store; the status tells the rest.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if s.drained.Err() != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, `{"status":"draining"}`)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.Agents.Store.Check(ctx); err != nil {
		fmt.Fprintf(w, `{"status":"degraded","reason":%s}`+"\n", prefix.Quote(err.Error()))
		return
	}
	fmt.Fprintln(w, `{"status":"ok"}`)
}

// ServeHTTP serves one request. It panics with http.ErrAbortHandler to break a transfer
// whose end would otherwise look like the provider's.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, pattern := s.mux.Handler(r)
	r = steady(w, r)
	r, denied := s.admit(r, pattern)
	if pattern != "" {
		if denied != nil {
			asError(denied).write(w)
			return
		}
		s.mux.ServeHTTP(w, r)
		return
	}
	started := time.Now()
	info := RequestInfo{Route: route(r), Relation: RelationAnonymous, began: started}
	if denied == nil {
		info.Tenant = s.tenant(r)
		denied = s.astray(r)
	}
	if s.Recorder != nil && denied == nil {
		var end func(RequestInfo)
		w, r, end = s.record(w, r)
		defer func() { end(info) }() // also when the transfer is broken off
	}
	out := &reply{w: w, rc: http.NewResponseController(w)}
	err := denied
	if err == nil {
		err = s.serve(r, out, &info)
	}
	if err != nil {
		err = gone(r.Context(), err)
	}
	if info.Outcome == "" {
		info.Outcome = outcomeOf(err)
	}
	info.Took = time.Since(started)
	if s.Trace.Request != nil {
		s.Trace.Request(info)
	}
	if err == nil {
		out.end()
		return
	}
	if errors.Is(err, errClientGone) {
		broken(w, context.Canceled)
		panic(http.ErrAbortHandler) // nobody reads on; net/http closes the connection
	}
	failure := asError(err)
	s.Log.Warn("request failed", "route", info.Route, "status", failure.Status, "code", failure.Code, "err", failure.detail())
	if !out.started {
		failure.write(w)
		return
	}
	out.fail(failure)
	broken(w, io.ErrUnexpectedEOF)
	panic(http.ErrAbortHandler)
}

// astray refuses what is not served here whatever it asks for. A recording does not hold the
// headers that it is known by, so it does not hold such a request either: played again, it
// would pass.
func (s *Server) astray(r *http.Request) error {
	if refused := s.guard(r); refused != nil {
		return refused
	}
	if hasToken(r.Header, "Upgrade", "websocket") && hasToken(r.Header, "Connection", "upgrade") {
		// An offer of another protocol, such as h2c, need not be taken up.
		return &Error{Status: http.StatusUpgradeRequired, Code: "no_websocket", Param: "Upgrade",
			Message: "WebSocket is not served here; use HTTP with streaming"}
	}
	if r.Method == http.MethodConnect {
		return &Error{Status: http.StatusMethodNotAllowed, Code: "no_tunnel", Message: "CONNECT is not served here"}
	}
	return nil
}

// serve is one request: refused, relayed, or exchanged for an agent.
func (s *Server) serve(r *http.Request, out *reply, info *RequestInfo) error {
	id, who, identified, err := identify(r.Header)
	if err != nil {
		return err
	}
	adopted := false
	if !identified && s.Adopt {
		id, who, adopted = adopt(r.Header)
	}
	switch info.Route {
	case routeChat, routeResponses, routeMessages:
		raw, release, err := s.readBody(r)
		if err != nil {
			return err
		}
		defer release()
		info.began = time.Now()
		if rec := RecordingOf(r.Context()); rec != nil {
			rec.Client().Sent(raw)
		}
		body, err := split(raw, info.Route)
		if err != nil {
			return err
		}
		if (identified || adopted) && info.Route == routeChat {
			return s.exchange(r, out, info, body, caller{id, who, adopted})
		}
		return s.transparent(r, out, info, body)
	default:
		return s.pass(r, out, info)
	}
}

// split splits a body by its route's shape. Only chat bodies are acted on.
func split(raw []byte, route string) (*prefix.Body, error) {
	switch route {
	case routeResponses:
		return prefix.Observe(raw, prefix.Responses)
	case routeMessages:
		return prefix.Observe(raw, prefix.Messages)
	}
	return prefix.Split(raw)
}

const (
	routeChat      = "chat"
	routeResponses = "responses"
	routeMessages  = "messages"
	routeOther     = "other"
	routeAgents    = "agents" // the API of agents, in recordings only
)

func route(r *http.Request) string {
	if r.Method != http.MethodPost {
		return routeOther
	}
	switch path := strings.TrimSuffix(strings.TrimPrefix(r.URL.EscapedPath(), "/v1"), "/"); path {
	case "/chat/completions":
		return routeChat
	case "/responses":
		return routeResponses
	case "/messages":
		return routeMessages
	}
	return routeOther
}

func outcomeOf(err error) Outcome {
	var own *Error
	switch {
	case err == nil:
		return OutcomeOK
	case errors.Is(err, errClientGone), errors.Is(err, context.Canceled):
		return OutcomeClientGone
	case errors.Is(err, errBroken), errors.Is(err, errSilent):
		return OutcomeIncomplete
	case errors.As(err, &own) && (own.Status == 502 || own.Status == 504):
		return OutcomeUpstream
	case asError(err).Status < 500:
		return OutcomeRefused
	}
	return OutcomeProxy
}
