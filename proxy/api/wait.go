package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"trunkline/agents"
)

// The bounds of a wait. Many clients give a response up whose headers take five minutes.
const (
	defaultWait = 30 * time.Second
	maxWait     = 4 * time.Minute
)

// errPatience ends a wait that nothing came of.
var errPatience = errors.New("nothing has changed")

// waitAgent is GET /agents/{id}/wait: the agent when its version is past after, 204 when
// that takes longer than timeout or the proxy shuts down.
func (s *Server) waitAgent(w http.ResponseWriter, r *http.Request, tenant string) error {
	var from, bound string
	if err := query(r, map[string]*string{"after": &from, "timeout": &bound}); err != nil {
		return err
	}
	after, err := strconv.ParseUint("0"+from, 10, 64)
	if err != nil {
		return invalid("after", "want a version, a whole number")
	}
	timeout := defaultWait
	if bound != "" {
		if timeout, err = time.ParseDuration(bound); err != nil || timeout < 0 || timeout > maxWait {
			return invalid("timeout", "want a duration from 0s to "+maxWait.String()+", such as 30s")
		}
	}
	key, err := agentKey(tenant, r)
	if err != nil {
		return err
	}
	snap, err := s.await(r.Context(), key, after, timeout)
	if errors.Is(err, errPatience) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	} else if err != nil {
		return err
	}
	return s.answerState(r.Context(), w, 200, snap)
}

// await is Await until timeout, or until the server drains: then errPatience. What has
// happened already is told in any case. That somebody waits keeps a root live. Whose key
// was taken out meanwhile is told nothing.
func (s *Server) await(ctx context.Context, key agents.Key, after uint64, timeout time.Duration) (agents.Snapshot, error) {
	snap, err := s.changed(ctx, key, after, timeout)
	if refused := s.Admitted(ctx); refused != nil {
		return agents.Snapshot{}, refused
	}
	return snap, err
}

func (s *Server) changed(ctx context.Context, key agents.Key, after uint64, timeout time.Duration) (agents.Snapshot, error) {
	snap, err := s.Agents.Touch(ctx, key)
	if err != nil || snap.Activity > after {
		return snap, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errPatience)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(s.Drained, func() { stop(errPatience) })()
	snap, err = s.Agents.Await(ctx, key, after)
	if err != nil && errors.Is(context.Cause(ctx), errPatience) {
		err = errPatience // also where it was the store that noticed
	}
	return snap, err
}

func isNotFound(err error) bool { return errors.Is(err, agents.ErrNotFound) }
