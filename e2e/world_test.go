package e2e

import (
	"testing"

	"trunkline/e2e/harness"
)

// world is where a story happens: a proxy in front of a simulated provider, and
// clients over plain HTTP.
type world struct {
	t      *testing.T
	stream bool   // clients ask for streams
	store  string // as --store takes it
	model  *provider
	proxy  *harness.Proxy
}

// stories tells a story on each store, to clients that stream and that do not.
func stories(t *testing.T, story func(t *testing.T, w *world)) {
	everyStore(t, func(t *testing.T, empty func() string) {
		for _, stream := range []bool{true, false} {
			t.Run(map[bool]string{true: "stream", false: "whole"}[stream], func(t *testing.T) {
				story(t, &world{t: t, stream: stream, store: empty()})
			})
		}
	})
}

// serve starts the provider and the proxy.
func (w *world) serve(said lines, args ...string) {
	w.t.Helper()
	w.model = startProvider(w.t, said)
	w.start(args...)
}

// start starts the proxy, or starts it again with the same store.
func (w *world) start(args ...string) {
	w.t.Helper()
	w.proxy = proxy.Serve(w.t, harness.Serve{Upstream: w.model.url, Store: w.store, Args: args})
}

// root is the client of an agent without a parent.
func (w *world) root(id string) *client {
	return &client{
		w: w, id: id, stream: w.stream, tools: pick,
		items: []string{`{"role":"system","content":"Be brief."}`},
	}
}

// fork is the client of a fork child. It keeps only its own messages, and says
// nothing of a head.
func (w *world) fork(id, parent string) *client {
	return &client{w: w, id: id, parent: parent, stream: w.stream}
}

// pick is the one tool of the clients in these stories.
const pick = `[ {"type": "function", "function": {"name": "pick", "parameters": {"type": "object", "properties": {"z": {"type": "string"}, "a": {"enum": ["q", "b"]}}}}} ]`
