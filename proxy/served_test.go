package proxy_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

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
