package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
	"trunkline/proxy/sim"
	"trunkline/tools"
)

// TestRandomHistories drives several agents at random through the real handler, an
// embedded store and a strict simulated provider: new turns, tool loops, messages, forks,
// retries after cut answers, regenerations and edits. After every request it checks what a
// provider's cache and a reader of messages would notice:
//
//   - an agent's request begins with its previous one, unless its client changed history;
//   - a fork's first request begins with its parent's head and with items of its parent;
//   - no history is invalid (the provider refuses calls without results);
//   - an accepted message stands at most once in its target's prompt, and in the end once,
//     unless it still waits.
func TestRandomHistories(t *testing.T) {
	runs := 25
	if testing.Short() || underRace {
		runs = 6
	}
	seed := rand.Uint64()
	if s := uint64(testSeed); s != 0 {
		seed, runs = s, 1
	}
	for i := range runs {
		s := seed + uint64(i)
		t.Run(fmt.Sprint(s), func(t *testing.T) { newWorld(t, s).run(60) })
	}
}

// testSeed repeats one failed run when set.
const testSeed = 0

type world struct {
	t       *testing.T
	rng     *rand.Rand
	sim     *sim.Server
	base    string
	clients []*client
	sent    map[string]string // text of an accepted message → its target
	texts   int
	seen    int  // requests already checked
	cut     bool // answers break off
	quiet   bool // answers call nothing
	// alternate: the provider refuses two user messages in a row
	alternate bool
	answers   map[int]sim.Answer // by request number, so that a look again is the same
}

// client is a model client: it keeps its own messages, and knows nothing of the proxy
// but its id.
type client struct {
	id, parent string
	msgs       []json.RawMessage
	stream     bool
	changed    bool     // the next request need not extend the last one
	last       [][]byte // items of its last upstream request
	head       prefix.Head
	requests   int
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 1)), sent: map[string]string{}, answers: map[int]sim.Answer{}}
	w.sim = sim.New(sim.Config{Script: w.answer})
	up := httptest.NewServer(w.sim)
	t.Cleanup(up.Close)
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "a.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	profile := "generic"
	if w.alternate = seed%4 == 0; w.alternate {
		profile = "vllm-alternating"
	}
	provider, err := reuse.Lookup(profile)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := proxy.New(proxy.Config{
		Upstreams: []string{up.URL + "/v1"},
		Provider:  provider,
		Agents:    agents.New(agents.Config{Store: store, Holder: "one"}),
		Tools:     []string{tools.SendMessage, tools.InterruptAgent, tools.ListAgents},
	})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(handler)
	t.Cleanup(front.Close)
	w.base = front.URL
	w.clients = []*client{{id: "root", stream: w.rng.IntN(2) == 0}}
	return w
}

// answer scripts the provider at random.
func (w *world) answer(r sim.Request) sim.Answer {
	if a, ok := w.answers[r.Number]; ok {
		return a
	}
	var a sim.Answer
	if w.rng.IntN(3) > 0 {
		a.Text = fmt.Sprintf("text %d", r.Number)
	}
	if w.rng.IntN(4) == 0 {
		a.Reasoning = "because"
	}
	var body struct{ User string }
	json.Unmarshal(r.Body, &body)
	if len(r.Tools) > 0 && !w.quiet && w.rng.IntN(2) == 0 {
		for range 1 + w.rng.IntN(3) {
			switch w.rng.IntN(4) {
			case 0, 1:
				a.Calls = append(a.Calls, sim.Call{Name: "pick", Arguments: `{ "x":"é" }`})
			case 2:
				w.texts++
				args, _ := json.Marshal(map[string]string{"agent_id": w.someone(), "message": fmt.Sprintf("<m%d>", w.texts)})
				a.Calls = append(a.Calls, sim.Call{Name: "send_message", Arguments: string(args)})
			case 3:
				a.Calls = append(a.Calls, sim.Call{Name: "list_agents", Arguments: `{}`})
			}
		}
	}
	if a.Text == "" && len(a.Calls) == 0 {
		a.Text = "done"
	}
	a.Piece = 1 + w.rng.IntN(8)
	if w.cut {
		a.Break = &sim.Break{After: w.rng.IntN(6) - 1, How: sim.Reset}
	}
	w.answers[r.Number] = a
	return a
}

func (w *world) someone() string { return w.clients[w.rng.IntN(len(w.clients))].id }

func (w *world) run(steps int) {
	for range steps {
		c := w.clients[w.rng.IntN(len(w.clients))]
		switch n := w.rng.IntN(20); {
		case n == 0 && len(w.clients) < 5 && c.requests > 0 && !w.cut:
			w.clients = append(w.clients, &client{id: fmt.Sprintf("agent-%d", len(w.clients)), parent: c.id, stream: w.rng.IntN(2) == 0})
		case n == 1 && len(c.msgs) > 0: // edit: a user message in the middle, all behind it gone
			var users []int
			for i, m := range c.msgs {
				if strings.Contains(string(m), `"user"`) {
					users = append(users, i)
				}
			}
			at := users[w.rng.IntN(len(users))]
			c.msgs = append(c.msgs[:at:at], user(fmt.Sprintf("edited %d", w.rng.Uint32())))
			c.changed = true
			w.request(c)
		case n == 2 && len(c.msgs) > 1 && isAssistant(c.msgs[len(c.msgs)-1]): // regenerate
			c.msgs = c.msgs[:len(c.msgs)-1]
			c.changed = true
			w.request(c)
		case n == 3: // the client writes its answers anew, as most do
			for i, m := range c.msgs {
				c.msgs[i] = rewrite(m)
			}
			w.extend(c)
			w.request(c)
		default:
			w.extend(c)
			if n < 8 { // the answer is cut, and the client sends the same again
				w.cut = true
				w.request(c)
				w.cut = false
			}
			w.request(c)
		}
	}
	// In the end nobody calls anything any more, so whatever waits is read.
	w.quiet = true
	for range 3 {
		for _, c := range w.clients {
			w.extend(c)
			w.request(c)
		}
	}
	w.delivered()
	if w.t.Failed() {
		w.dump()
	}
}

// rewrite says the same in other JSON: keys sorted, call arguments dumped again, and an
// empty content left out.
func rewrite(m json.RawMessage) json.RawMessage {
	var v map[string]any
	if json.Unmarshal(m, &v) != nil {
		return m
	}
	if calls, ok := v["tool_calls"].([]any); ok {
		if v["content"] == nil || v["content"] == "" {
			delete(v, "content")
		}
		for _, c := range calls {
			f := c.(map[string]any)["function"].(map[string]any)
			var args any
			if json.Unmarshal([]byte(f["arguments"].(string)), &args) == nil {
				dumped, _ := json.Marshal(args)
				f["arguments"] = string(dumped)
			}
		}
	}
	out, err := json.Marshal(v)
	if err != nil {
		return m
	}
	return out
}

func user(text string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"role":"user","content":%q}`, text))
}

func isAssistant(m json.RawMessage) bool { return bytes.Contains(m, []byte(`"role":"assistant"`)) }

// extend appends what a client adds next: results of its calls, or a new user message.
func (w *world) extend(c *client) {
	if n := len(c.msgs); n > 0 {
		if !isAssistant(c.msgs[n-1]) {
			return // its last request failed: it is sent again
		}
		var m struct {
			ToolCalls []struct{ ID string } `json:"tool_calls"`
		}
		json.Unmarshal(c.msgs[n-1], &m)
		for _, call := range m.ToolCalls {
			c.msgs = append(c.msgs, json.RawMessage(fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"result"}`, call.ID)))
		}
		if len(m.ToolCalls) > 0 {
			return
		}
	}
	c.msgs = append(c.msgs, user(fmt.Sprintf("turn %d of %s", len(c.msgs), c.id)))
}

const system = `{"role":"system","content":"You are one of several."}`

const pick = `{"type":"function","function":{"name":"pick","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}}`

// request sends the client's messages and takes the answer into them.
func (w *world) request(c *client) {
	w.t.Helper()
	msgs := c.msgs
	var body bytes.Buffer
	body.WriteString(`{"model":"m","user":"` + c.id + `","messages":[`)
	if c.parent == "" {
		body.WriteString(system)
		if len(msgs) > 0 {
			body.WriteString(",")
		}
	}
	for i, m := range msgs {
		if i > 0 {
			body.WriteString(",")
		}
		body.Write(m)
	}
	fmt.Fprintf(&body, `],"stream":%v`, c.stream)
	if c.parent == "" {
		body.WriteString(`,"tools":[` + pick + `]`)
	}
	body.WriteString("}")
	r, _ := http.NewRequestWithContext(context.Background(), "POST", w.base+"/v1/chat/completions", &body)
	r.Header.Set("X-Agent-Id", c.id)
	if c.parent != "" {
		r.Header.Set("X-Agent-Parent-Id", c.parent)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.check(c)
		return // cut before the headers
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	w.check(c)
	if resp.StatusCode != 200 {
		if w.cut {
			return
		}
		w.t.Fatalf("%s: status %d: %s", c.id, resp.StatusCode, all)
	}
	message, whole := assemble(w.t, all, c.stream)
	if err != nil || !whole {
		if !w.cut {
			w.t.Fatalf("%s: the answer broke off: %v %s", c.id, err, all)
		}
		return
	}
	c.msgs = append(c.msgs, message)
}

// check looks at the provider's new requests, all of which are this client's.
func (w *world) check(c *client) {
	w.t.Helper()
	all := w.sim.Requests()
	for _, got := range all[w.seen:] {
		body, err := prefix.Split(got.Body)
		if err != nil {
			w.t.Fatalf("%s sent invalid JSON upstream: %v", c.id, err)
		}
		head := prefix.HeadOf(body)
		items := make([][]byte, 0, len(body.Items))
		for _, i := range body.Items[body.LeadingSystem():] {
			items = append(items, i.Raw)
		}
		switch {
		case c.requests == 0 && c.parent != "":
			w.checkFork(c, head, items)
		case c.requests > 0 && !c.changed:
			if !head.Equal(c.head) {
				w.t.Fatalf("%s: the head changed", c.id)
			}
			if !begins(items, c.last) {
				w.t.Fatalf("%s: a request does not extend the one before:\n%s\nthen\n%s", c.id, join(c.last), join(items))
			}
		}
		c.head, c.last, c.changed = head, items, false
		c.requests++
		for i := range items[:max(0, len(items)-1)] {
			if w.alternate && prefix.ItemOf(items[i]).Role == "user" && prefix.ItemOf(items[i+1]).Role == "user" {
				w.t.Fatalf("%s: two user messages in a row:\n%s", c.id, join(items))
			}
		}
		for text, target := range w.sent {
			if n := count(items, text); n > 1 && target == c.id {
				w.t.Fatalf("%s reads %s %d times:\n%s", c.id, text, n, join(items))
			}
		}
		w.accepted(c, items)
	}
	w.seen = len(all)
}

func (w *world) checkFork(c *client, head prefix.Head, items [][]byte) {
	w.t.Helper()
	for _, p := range w.clients {
		if p.id != c.parent || p.requests == 0 {
			continue
		}
		if !head.Equal(p.head) {
			w.t.Fatalf("%s: the fork's head is not its parent's", c.id)
		}
		n := 0
		for n < len(items) && n < len(p.last) && bytes.Equal(items[n], p.last[n]) {
			n++
		}
		task := items[len(items)-1]
		if !bytes.Contains(task, []byte(`\"`+c.parent+`\"`)) {
			w.t.Fatalf("%s: the task does not name the parent: %s", c.id, task)
		}
		// What is not among the parent's last sent items is its last answer, or the task.
		if own := len(items) - n; own > 2 {
			w.t.Fatalf("%s: %d items of a fork are not its parent's:\n%s\nparent\n%s", c.id, own, join(items), join(p.last))
		}
	}
}

// accepted notes the sends whose result says that they were accepted.
func (w *world) accepted(c *client, items [][]byte) {
	results := map[string]string{} // call id → result
	for _, raw := range items {
		item := prefix.ItemOf(raw)
		if item.Role == "tool" {
			results[item.ToolCallID] = prefix.ContentText(raw)
		}
	}
	for _, raw := range items {
		var m struct {
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		json.Unmarshal(raw, &m)
		for _, call := range m.ToolCalls {
			if call.Function.Name != "send_message" || !strings.HasPrefix(results[call.ID], "message delivered") {
				continue
			}
			var args struct {
				AgentID string `json:"agent_id"`
				Message string
			}
			json.Unmarshal([]byte(call.Function.Arguments), &args)
			w.sent[args.Message] = args.AgentID
		}
	}
}

// delivered checks that every accepted message stands in its target's prompt, or still
// waits: everybody had several turns, so nothing waits. A target that never made a request
// cannot have read anything, and one whose client went back may have dropped what it read.
func (w *world) delivered() {
	w.t.Helper()
	read := map[string]bool{}
	for _, got := range w.sim.Requests() {
		for text := range w.sent {
			if bytes.Contains(got.Body, []byte("sent a message:\\n"+text)) {
				read[text] = true
			}
		}
	}
	for text, target := range w.sent {
		for _, c := range w.clients {
			if c.id == target && c.requests > 0 && !read[text] {
				w.t.Errorf("%s never read %s", target, text)
			}
		}
	}
}

func begins(items, with [][]byte) bool {
	if len(items) < len(with) {
		return false
	}
	for i := range with {
		if !bytes.Equal(items[i], with[i]) {
			return false
		}
	}
	return true
}

func count(items [][]byte, text string) int {
	n := 0
	for _, i := range items {
		n += bytes.Count(i, []byte("sent a message:\\n"+text))
	}
	return n
}

func join(items [][]byte) string { return string(bytes.Join(items, []byte("\n"))) }

func (w *world) dump() {
	for _, got := range w.sim.Requests() {
		b, _ := prefix.Split(got.Body)
		u, _ := b.Field("user")
		w.t.Logf("#%d %s", got.Number, u)
		for _, i := range b.Items[max(b.LeadingSystem(), len(b.Items)-5):] {
			w.t.Logf("     %.200s", i.Raw)
		}
		w.t.Logf("  -> %+v", w.answers[got.Number])
	}
}
