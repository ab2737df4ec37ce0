package e2e

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// provider is a simulated provider on a port of its own.
type provider struct {
	*sim.Server
	url string // its base, with /v1
}

// lines is what the model of each agent says, one answer a request: name → answers.
type lines map[string][]sim.Answer

// startProvider serves the lines. Whose turn it is says the header X-Story, which
// every client of these tests sends and the proxy passes on like any other.
func startProvider(t *testing.T, said lines) *provider {
	t.Helper()
	return serveModel(t, sim.Config{
		Script:       sim.Sequence(said),
		Conversation: func(r sim.Request) string { return r.Header.Get("X-Story") },
	})
}

// serveModel serves until the test ends.
func serveModel(t *testing.T, c sim.Config) *provider {
	t.Helper()
	server := sim.New(c)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return &provider{server, "http://" + listener.Addr().String() + "/v1"}
}

// Answers, as the tests write them.
func text(s string) sim.Answer             { return sim.Answer{Text: s} }
func calls(list ...sim.Call) sim.Answer    { return sim.Answer{Calls: list} }
func call(name, arguments string) sim.Call { return sim.Call{Name: name, Arguments: arguments} }

// tell is the model's call that sends a message.
func tell(to, message string) sim.Call {
	arguments, err := json.Marshal(map[string]string{"agent_id": to, "message": message})
	if err != nil {
		panic(err) // strings always marshal
	}
	return call("send_message", string(arguments))
}

// received is one request as the provider got it.
type received struct {
	raw   string
	head  []string // every field that can enter a prompt, as "name: raw value", in order
	items []string // the raw elements of messages
	tools []string // those of tools
}

// received returns what the provider got in one agent's name, in order.
func (p *provider) received(t *testing.T, name string) []received {
	t.Helper()
	var out []received
	for _, r := range p.Requests() {
		if r.Header.Get("X-Story") == name {
			out = append(out, parse(t, string(r.Body)))
		}
	}
	return out
}

// parse takes a body apart without touching its bytes.
func parse(t *testing.T, body string) received {
	t.Helper()
	r := received{raw: body}
	fields := json.NewDecoder(strings.NewReader(body))
	next := func(into any) {
		if err := fields.Decode(into); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
	}
	if _, err := fields.Token(); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for fields.More() {
		name, err := fields.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		switch name {
		case "messages":
			var list []json.RawMessage
			next(&list)
			r.items = elements(list)
		case "stream", "stream_options":
			next(new(json.RawMessage))
		case "tools":
			var list []json.RawMessage
			next(&list)
			r.tools = elements(list)
			r.head = append(r.head, "tools: "+strings.Join(r.tools, ","))
		default:
			var value json.RawMessage
			next(&value)
			r.head = append(r.head, name.(string)+": "+string(value))
		}
	}
	return r
}

// elements returns the bytes of an array's elements.
func elements(list []json.RawMessage) []string {
	out := make([]string, len(list))
	for i, raw := range list {
		out[i] = string(raw)
	}
	return out
}

// holds waits until the provider is answering its nth request, and no other.
func (p *provider) holds(t *testing.T, n int) {
	t.Helper()
	err := p.Await(t.Context(), func(s sim.Stats) bool {
		list := p.Requests()
		return s.InFlight == 1 && len(list) == n && list[n-1].PromptTokens > 0
	})
	if err != nil {
		t.Fatal(err)
	}
}

// begins fails the test unless later begins with exactly what earlier holds:
// the same head, and its items first.
func (earlier received) begins(t *testing.T, later received) {
	t.Helper()
	if got, want := strings.Join(later.head, "\n"), strings.Join(earlier.head, "\n"); got != want {
		t.Errorf("the head changed: got\n%s\nwant\n%s", got, want)
	}
	beginsItems(t, earlier.items, later.items)
}

func beginsItems(t *testing.T, earlier, later []string) {
	t.Helper()
	for i, item := range earlier {
		if i >= len(later) || later[i] != item {
			t.Errorf("item %d of %d is not kept: got\n%s\nwant\n%s", i, len(earlier), at(later, i), item)
			return
		}
	}
}

// appendOnly fails the test unless each request of the agent begins with the one
// before it. It returns them.
func (p *provider) appendOnly(t *testing.T, name string) []received {
	t.Helper()
	list := p.received(t, name)
	for i := 1; i < len(list); i++ {
		list[i-1].begins(t, list[i])
	}
	return list
}

// last is what the agent's model was told most recently.
func (p *provider) last(t *testing.T, name string) received {
	t.Helper()
	list := p.received(t, name)
	if len(list) == 0 {
		t.Fatalf("the provider got no request of %s", name)
	}
	return list[len(list)-1]
}

func at(list []string, i int) string {
	if i < 0 || i >= len(list) {
		return "(none)"
	}
	return list[i]
}

// toolNames lists what the model may call.
func toolNames(t *testing.T, r received) string {
	t.Helper()
	var names []string
	for _, raw := range r.tools {
		var tool struct{ Function struct{ Name string } }
		if err := json.Unmarshal([]byte(raw), &tool); err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Function.Name)
	}
	return strings.Join(names, " ")
}
