package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/metrics"
)

// engine is a proxy in front of a real engine, and what there is to ask both.
type engine struct {
	*world
	engine *harness.Engine
	read   int // requests that read has returned
}

// onEngine starts both, the engine with so many slots.
func onEngine(t *testing.T, slots int) *engine {
	t.Helper()
	e := &engine{world: &world{t: t, stream: true}, engine: harness.StartEngine(t, "engine", slots)}
	e.proxy = proxy.Serve(t, harness.Serve{Upstream: e.engine.URL + "/v1", Args: []string{"--provider=llamacpp"}})
	return e
}

// prefill is what the engine did for one request, in tokens: Cached + Processed = Prompt.
type prefill struct {
	Prompt, Cached, Processed int
}

// news returns what the engine has done since the last call.
func (e *engine) news(t *testing.T) []prefill {
	t.Helper()
	var all []prefill
	if err := json.Unmarshal(page(t, e.engine.URL+"/requests"), &all); err != nil {
		t.Fatal(err)
	}
	news := all[e.read:]
	e.read = len(all)
	return news
}

// last returns what the engine did for the one request since the last call.
func (e *engine) last(t *testing.T) prefill {
	t.Helper()
	news := e.news(t)
	if len(news) != 1 {
		t.Fatalf("the engine has served %d requests, want 1", len(news))
	}
	return news[0]
}

// expected is how many tokens the proxy has expected the engine to find in its cache, in all.
func (e *engine) expected(t *testing.T) int {
	t.Helper()
	return int(scrape(t, e.proxy.URL).sum(metrics.PrefixExpectedTokensTotal, ""))
}

// parent is the client of an agent with a system prompt, two tools and a conversation of
// 12 turns behind it, of more than 8,000 tokens in all. It has yet to send any of it.
func (e *engine) parent(t *testing.T, id string) *client {
	t.Helper()
	c := e.root(id)
	text := writer(t)
	c.tools = string(toolsFile(t))
	c.items = []string{message("system", "You are a careful agent.\n\n"+text(20))}
	for turn := range 12 {
		c.items = append(c.items, message("user", fmt.Sprintf("%d. %s", turn, text(610))), message("assistant", text(20)))
	}
	return c
}

// writer returns a source of text of so many words, the same for each test.
func writer(t *testing.T) func(words int) string {
	t.Helper()
	file, err := os.ReadFile("engine/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(file))
	random := rand.New(rand.NewPCG(1, 2))
	return func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[random.IntN(len(words))]
		}
		return strings.Join(out, " ") + "."
	}
}

func toolsFile(t *testing.T) []byte {
	t.Helper()
	tools, err := os.ReadFile("engine/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.TrimSpace(string(tools)))
}

// report is a tool that only a child has.
const report = `{"type":"function","function":{"name":"report","description":"Report a finding to the parent agent.","parameters":{"type":"object","properties":{"output":{"type":"string"}},"required":["output"]}}}`

// with returns a raw list of tools with one more.
func with(tools, one string) string { return strings.TrimSuffix(tools, "]") + "," + one + "]" }

const task = "Read the transcript and report which step the server took."

// TestEngineFork: on a real engine a fork of a long conversation costs its own task and
// guidance, and the same fork with one tool of its own costs nearly all of it. The proxy
// foretells both, whether it has seen the conversation grow or not.
func TestEngineFork(t *testing.T) {
	for way, say := range map[string]func(t *testing.T, parent *client){
		"at once":      func(t *testing.T, parent *client) { parent.user("And now?").send(t) },
		"turn by turn": turnByTurn,
	} {
		t.Run(way, func(t *testing.T) {
			// With more slots, llama.cpp leaves one alone that holds less than a tenth of the prompt.
			e := onEngine(t, 1)
			parent := e.parent(t, "parent")
			say(t, parent)
			e.news(t)

			before := e.expected(t)
			e.fork("kid", "parent").say(t, task)
			kid := e.last(t)
			if kid.Prompt < 8000 || kid.Processed > 250 {
				t.Errorf("the fork: %+v, want at most 250 processed of 8,000", kid)
			}
			e.foretold(t, "the fork", before, kid)

			before = e.expected(t)
			tooled := e.fork("tooled", "parent")
			tooled.tools = with(parent.tools, report)
			tooled.say(t, task)
			own := e.last(t)
			if own.Processed*10 <= own.Prompt*9 {
				t.Errorf("the fork with a tool of its own: %+v, want more than nine tenths processed", own)
			}
			e.foretold(t, "the fork with a tool of its own", before, own)
		})
	}
}

// turnByTurn sends the client's conversation as it would have grown. What the model says
// stands in place of what the client had for it.
func turnByTurn(t *testing.T, c *client) {
	t.Helper()
	all := c.items
	c.items = all[:1:1]
	for _, item := range all[1:] {
		if strings.HasPrefix(item, `{"role":"user"`) {
			c.items = append(c.items, item)
			c.send(t)
		}
	}
}

// foretold checks what the proxy expected of one request against what the engine found.
func (e *engine) foretold(t *testing.T, who string, before int, found prefill) {
	t.Helper()
	expected := e.expected(t) - before
	off := math.Abs(float64(expected-found.Cached)) / float64(found.Prompt)
	t.Logf("%s: %+v, expected %d: off by %.2f %%", who, found, expected, 100*off)
	if off > 0.02 {
		t.Errorf("%s: expected %d cached tokens, the engine found %d of %d: off by %.1f %%", who, expected, found.Cached, found.Prompt, 100*off)
	}
}

// TestEngineForksTogether: four forks sent at once share what one of them, or their
// parent, had processed, although a busy slot of the engine cannot be matched.
func TestEngineForksTogether(t *testing.T) {
	e := onEngine(t, 4)
	parent := e.parent(t, "parent")
	parent.user("And now?").send(t)
	whole := e.last(t)

	for _, family := range []string{"warm", "cold"} {
		if family == "cold" {
			e.flush(t)
		}
		together(4, func(i int) { e.fork(fmt.Sprintf("%s-%d", family, i), "parent").say(t, fmt.Sprintf("%d. %s", i, task)) })
		processed := 0
		for _, fork := range e.news(t) {
			processed += fork.Processed
		}
		limit := whole.Prompt / 10
		if family == "cold" {
			limit += whole.Prompt
		}
		t.Logf("%s: the parent's %d, four forks process %d", family, whole.Prompt, processed)
		if processed > limit {
			t.Errorf("%s: the four forks process %d tokens, want at most %d", family, processed, limit)
		}
	}
}

// flush puts something else into each of the engine's slots.
func (e *engine) flush(t *testing.T) {
	t.Helper()
	for i := range 4 {
		stranger := &client{w: e.world, stream: true}
		stranger.user(strings.Repeat(fmt.Sprint(i), 40)).send(t)
	}
	e.news(t)
}

// together runs n calls at once and waits for all.
func together(n int, call func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { call(i) })
	}
	all.Wait()
}

// TestEngineMetrics: what the proxy's metrics say is what the engine did, to the token.
func TestEngineMetrics(t *testing.T) {
	e := onEngine(t, 4)
	parent := e.parent(t, "parent")
	parent.user("And now?").send(t)
	e.fork("kid", "parent").say(t, task)
	parent.user("And then?").send(t)
	var did prefill
	for _, r := range e.news(t) {
		did.Cached += r.Cached
		did.Processed += r.Processed
	}
	s := scrape(t, e.proxy.URL)
	for cache, want := range map[string]int{metrics.CacheRead: did.Cached, metrics.CacheMiss: did.Processed, metrics.CacheUnreported: 0} {
		if got := s.sum(metrics.PromptTokensTotal, `provider="llamacpp",cache="`+cache+`"`); int(got) != want {
			t.Errorf("%v tokens count as %s, the engine says %d", got, cache, want)
		}
	}
}
