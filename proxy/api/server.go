package api

import (
	"context"
	"net/http"
	"time"

	"trunkline/agents"
	"trunkline/prefix"
)

// Config is what a Server needs; all of it.
type Config struct {
	Agents *agents.Service
	// Provider is the name of the profile of what is asked.
	Provider string
	// Heartbeat is how often a quiet stream of events shows that it lives.
	Heartbeat time.Duration
	// Drained ends what only waits.
	Drained context.Context
	// Body reads a request's body whole. The body is good until release is called.
	Body func(r *http.Request) (body []byte, release func(), err error)
	// Admitted returns why a request, in whose context it is asked, would not be admitted
	// any more. It is asked behind each wait.
	Admitted func(ctx context.Context) error
	// History reads what stands in an agent's prompt: its head, its branch, and how many
	// of the branch's items are inherited.
	History func(ctx context.Context, key agents.Key) (head prefix.Head, branch prefix.Branch, inherited int, err error)
}

// Server answers the calls. It is safe for concurrent use.
type Server struct {
	Config
	accounts accounts
	recent   recent
}

// New returns a Server that has measured nothing yet.
func New(c Config) *Server { return &Server{Config: c} }

// Measured is told of each provider request when its answer has ended, and nobody changes
// it any more.
func (s *Server) Measured(a *Request) {
	if a.Agent != "" {
		s.accounts.keep(a)
	}
	s.recent.add(a)
}
