package proxy_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
)

// closing is a client that leaves as soon as it has the byte that it waits for.
type closing struct {
	*httptest.ResponseRecorder
	last  string
	leave context.CancelFunc
}

func (c closing) Write(b []byte) (int, error) {
	n, err := c.ResponseRecorder.Write(b)
	if strings.HasSuffix(c.Body.String(), c.last) {
		c.leave()
	}
	return n, err
}

// TestClientLeavesServed: a client that leaves with the last byte of its answer, while the
// proxy still puts that on record, was served.
func TestClientLeavesServed(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		whole := saidJSON("yes")
		e := newEdge(t, reply(200, "application/json", whole))
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		w := closing{httptest.NewRecorder(), whole, leave}
		e.handler.ServeHTTP(w, e.request("POST", chat, strings.NewReader(ask), who...).WithContext(ctx))
		if got := w.Body.String(); got != whole {
			t.Errorf("the client has %q", got)
		}
		if o := e.outcome(); o != proxy.OutcomeOK {
			t.Errorf("outcome %s", o)
		}
	})
}

// TestClientLeavesAtTheEndOfItsStream: a client that leaves at the last event of its stream,
// which is all that it waits for, was served, and what its prompt read is known; also where
// the provider closes the stream only later.
func TestClientLeavesAtTheEndOfItsStream(t *testing.T) {
	for _, whom := range []proxy.AskUsage{proxy.AskNobody, proxy.AskAll} {
		steps := make(chan proxy.StepInfo, 1)
		e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
			stream(delta(`{"role":"assistant","content":"yes"}`, ""), delta(`{}`, "stop"), usage(100, 64), done)(w, r)
			<-r.Context().Done()
		}, func(c *proxy.Config) {
			c.AskUsage, c.Provider.StreamOptions = whom, true
			c.Trace.Step = func(info proxy.StepInfo) { steps <- info }
		})
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		w := closing{httptest.NewRecorder(), done, leave}
		e.handler.ServeHTTP(w, e.request("POST", chat, strings.NewReader(askStream)).WithContext(ctx))
		if !strings.HasSuffix(w.Body.String(), done) {
			t.Errorf("the client has %q", w.Body)
		}
		if o := e.outcome(); o != proxy.OutcomeOK {
			t.Errorf("outcome %s", o)
		}
		if step := <-steps; !step.Completed || step.Usage.Cached != prefix.Tokens(64) {
			t.Errorf("the step is completed: %v, with %+v", step.Completed, step.Usage)
		}
	}
}

// TestStreamHeldOpenBehindItsEnd: an agent's client has its whole answer, and the agent its
// record, also where the provider says the end and then neither ends the body nor the
// connection.
func TestStreamHeldOpenBehindItsEnd(t *testing.T) {
	whole := strings.Join(said("yes"), "")
	e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
		stream(whole)(w, r)
		<-r.Context().Done()
	})
	for range 2 {
		a := e.post(askStream, "X-Agent-Id", "held")
		if a.err != nil || a.body != whole {
			t.Errorf("error %v, got %q", a.err, a.body)
		}
		if o := e.outcome(); o != proxy.OutcomeOK {
			t.Errorf("outcome %s", o)
		}
	}
}

// TestClientLeavesWithinItsStream: one that leaves before its end has left.
func TestClientLeavesWithinItsStream(t *testing.T) {
	steps := make(chan proxy.StepInfo, 1)
	end := delta(`{}`, "stop")
	e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
		stream(delta(`{"role":"assistant","content":"yes"}`, ""), end)(w, r)
		<-r.Context().Done()
	}, func(c *proxy.Config) { c.Trace.Step = func(info proxy.StepInfo) { steps <- info } })
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	func() {
		defer func() { recover() }() // net/http closes the connection
		e.handler.ServeHTTP(closing{httptest.NewRecorder(), end, leave}, e.request("POST", chat, strings.NewReader(askStream)).WithContext(ctx))
	}()
	if o := e.outcome(); o != proxy.OutcomeClientGone {
		t.Errorf("outcome %s", o)
	}
	if step := <-steps; step.Completed {
		t.Error("what its prompt read was not said yet, and is counted")
	}
}
