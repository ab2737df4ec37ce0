package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trunkline/e2e/harness"
)

// watched starts a simulated provider with two caches and a proxy in front of it.
func watched(t *testing.T, args ...string) (w *world, sim *harness.Proxy) {
	t.Helper()
	sim = proxy.Start(t, nil, "sim", "--replicas=2")
	w = &world{t: t, stream: true}
	w.proxy = proxy.Serve(t, harness.Serve{Upstream: sim.URL + "/v1", Args: append(args, "--provider=sim")})
	return w, sim
}

// family is one round of what agents do: a parent, a child that reports to it, and what
// can go differently. Its agents are named after the round. Every answer reports usage.
func (w *world) family(t *testing.T, round int) {
	t.Helper()
	name := func(role string) string { return fmt.Sprintf("%s-%d", role, round) }
	root := w.root(name("root"))
	root.items[0] = message("system", fmt.Sprintf("Round %d. ", round)+strings.Repeat("Be brief and careful. ", 100))
	root.say(t, "say ready")
	root.say(t, "call pick {\"z\":\"1\"}\nthen say picked")

	kid := w.fork(name("kid"), root.id)
	kid.say(t, fmt.Sprintf("call send_message {\"agent_id\":%q,\"message\":\"found it\"}\nthen call send_message {\"agent_id\":\"nobody\",\"message\":\"?\"}\nthen say done", root.id))

	moved := w.fork(name("moved"), root.id) // a system prompt of its own goes into its tail
	moved.items = []string{message("system", "You are a child.")}
	moved.say(t, "say moved")

	diverged := w.fork(name("diverged"), root.id) // a tool of its own goes into its head
	diverged.tools = strings.TrimSuffix(pick, "]") + `,{"type":"function","function":{"name":"report","parameters":{"type":"object"}}}]`
	diverged.say(t, "say diverged")

	spawned := w.fork(name("spawned"), root.id)
	spawned.header = map[string]string{"X-Agent-Mode": "spawn"}
	spawned.say(t, "say spawned")

	// The same calls in other bytes, the way that libraries echo them; what waits is read.
	for i, item := range root.items {
		root.items[i] = strings.Replace(item, `"arguments":"{\"z\":`, `"arguments":"{\"z\": `, 1)
	}
	root.say(t, "say thanks")
	root.header = map[string]string{"X-Sim-Replica": "1"} // a machine with a cold cache
	root.say(t, "say again")
	root.header = nil
	root.say(t, "say bye")
	root.user("call pick {\"z\":\"2\"}").send(t) // and leaves its turn open
}

// strangers is one round of traffic without identity: the same conversation twice without
// usage, a request that the provider refuses, one that the proxy refuses, and another path.
func (w *world) strangers(t *testing.T, round int) {
	t.Helper()
	stranger := &client{w: w, stream: true, items: []string{message("system", fmt.Sprintf("Stranger %d. ", round)+strings.Repeat("Say little. ", 100))}}
	stranger.say(t, "say one")
	stranger.say(t, "say two")
	dangling := &client{w: w, items: []string{message("user", "hello"), `{"role":"tool","tool_call_id":"x","content":"?"}`}}
	if a := dangling.try(t); a.status != http.StatusBadRequest {
		t.Fatalf("a result without a call is answered %d", a.status)
	}
	response, err := dangling.postBody(t.Context(), "{")
	if err != nil {
		t.Fatal(err)
	}
	drain(response)
	response, err = http.Get(w.proxy.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	drain(response)
}
