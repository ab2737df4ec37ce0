package proxy

import (
	"context"
	"errors"
	"net/http"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/proxy/api"
)

// routeAPI adds the calls of the agents API to the mux.
func (s *Server) routeAPI() {
	s.api = api.New(api.Config{
		Agents: s.Agents, Provider: s.Provider.Name, Heartbeat: s.Heartbeat, Drained: s.drained,
		Body: s.readBody, Admitted: stillAdmitted, History: s.history,
	})
	for path := range api.Routes() {
		s.mux.HandleFunc(path, s.serveAPI)
	}
}

// serveAPI answers one request to /agents.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	if s.Recorder != nil && r.Method != http.MethodGet {
		var end func(RequestInfo)
		w, r, end = s.recordCall(w, r)
		defer func() { end(RequestInfo{Route: routeAgents, Relation: RelationAnonymous, Outcome: OutcomeOK}) }()
	}
	out := &reply{w: w, rc: http.NewResponseController(w)}
	err := s.callAPI(out, r)
	if err == nil {
		out.end()
		return
	}
	if r.Context().Err() != nil && !errors.Is(err, errStalled) || errors.Is(err, errClientGone) {
		panic(http.ErrAbortHandler)
	}
	failure := asError(err)
	if failure.Status >= 500 {
		s.Log.Warn("a call of the agents API failed", "method", r.Method, "status", failure.Status, "code", failure.Code, "err", failure.Message)
	}
	if !out.started {
		failure.write(w)
		return
	}
	out.fail(failure)
	panic(http.ErrAbortHandler)
}

func (s *Server) callAPI(out *reply, r *http.Request) error {
	if refused := s.guard(r); refused != nil {
		return refused
	}
	return s.api.Serve(ownWriter{out}, r, s.tenant(r))
}

// status is GET /status. With keys it needs the scope admin, and without them every local
// process counts as the operator.
func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	out := &reply{w: w, rc: http.NewResponseController(w)}
	if err := s.tellStatus(out, r); err != nil {
		asError(err).write(w)
	}
}

func (s *Server) tellStatus(out *reply, r *http.Request) error {
	if refused := s.guard(r); refused != nil {
		return refused
	}
	return s.api.Status(ownWriter{out}, r)
}

// history reads what stands in an agent's prompt, and how much of the branch is inherited.
func (s *Server) history(ctx context.Context, key agents.Key) (head prefix.Head, branch prefix.Branch, inherited int, err error) {
	err = reread(func() error {
		snap, err := s.Agents.Load(ctx, key)
		if err != nil {
			return err
		}
		h := snap.History
		inherited = h.Inherited
		if head, err = s.branches.head(ctx, key, h.HeadOwner, h.Head); err != nil {
			return err
		}
		branch, err = s.branches.load(ctx, key, h.Owners, h.Branch)
		return err
	})
	return head, branch, inherited, err
}

// told is the request as the agents API is told of it.
func (m *measure) told() *api.Request {
	i := &m.info
	return &api.Request{
		Tenant: i.Tenant, Agent: i.Agent, Provider: i.Provider, Model: i.Model,
		Relation: string(i.Relation), Auxiliary: i.Relation == RelationAuxiliary, Fork: string(i.Fork),
		Status: i.Status, Taken: i.Taken, Completed: i.Completed, Sent: m.sent, TTFT: i.TTFT, Took: i.Took,
		Bytes: i.Bytes, Shared: i.Shared, Break: i.Break, Usage: i.Usage, Reuse: i.Reuse, Lost: i.lost(), Repairs: i.Repairs,
	}
}
