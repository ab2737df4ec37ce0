package e2e

import (
	"flag"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/proxy/sim"
)

// driver makes a client go through turns: a conversation an agent, with the two
// things that its model can call for.
type driver interface {
	// ask takes one turn to its last text, or to the error that its user sees.
	ask(t *testing.T, turn turn) (text string, failure error)
	look(at string) sim.Call
	delegate(agent, task string) sim.Call
}

// realClient is a client as people have it.
type realClient struct {
	name  string
	start func(t *testing.T, url string) driver // skips the test where it is not installed
	full  bool                                  // not in every run: see TRUNKLINE_FULL
	// relayed: it speaks a protocol that is relayed, not edited.
	relayed bool
	// names is the header in which the client names its conversations by itself, "" if it does
	// not; subagents: and whose subagent one is.
	names     string
	subagents bool
	handoff   string // the call that hands a turn to another agent of its own, if it can
}

var realClients = []realClient{
	{name: "npm/openai/chat", start: nodeLibrary("openai-chat", "openai (npm)")},
	{name: "npm/openai/responses", start: nodeLibrary("openai-responses", "openai (npm)"), relayed: true},
	{name: "npm/@openai/agents", start: nodeLibrary("agents", "@openai/agents"), handoff: "transfer_to_closer"},
	{name: "npm/ai", start: nodeLibrary("ai", "AI SDK")},
	{name: "npm/@langchain/openai", start: nodeLibrary("langchain", "LangChain (JavaScript)")},
	{name: "go/openai-go", start: goLibrary("openai-go", "openai-go", "openaigo_settings.go")},
	{name: "go/go-openai", start: goLibrary("go-openai", "go-openai", "goopenai_settings.go")},
	{name: "npm/opencode-ai", start: startProgram(opencode), full: true, names: "X-Session-Id", subagents: true},
	{name: "npm/@mariozechner/pi-coding-agent", start: startProgram(pi), full: true, names: "Session_id"},
	{name: "npm/@openai/codex", start: startProgram(codex), full: true, relayed: true},
	{name: "pypi/openai", start: pythonLibrary("openai", "openai (Python)"), full: true},
	{name: "pypi/openai-agents", start: pythonLibrary("agents", "openai-agents (Python)"), full: true, handoff: "transfer_to_closer"},
	{name: "pypi/langchain-openai", start: pythonLibrary("langchain", "LangChain (Python)"), full: true},
	{name: "pypi/pydantic-ai", start: pythonLibrary("pydantic", "Pydantic AI"), full: true},
}

// leastClients must be here and run, whatever cannot be installed.
const leastClients = 6

// TestClients runs real clients through the program: what they send arrives as
// they sent it, and what comes of their runs is what comes of them without it.
func TestClients(t *testing.T) {
	said := &script{lists: map[string][]sim.Answer{}}
	model := serveModel(t, sim.Config{
		Script:       said.next,
		Conversation: func(r sim.Request) string { return r.Header.Get("X-Story") },
	})
	p := proxy.Serve(t, harness.Serve{Upstream: model.url})
	var ran atomic.Int32
	filtered := strings.Contains(flag.Lookup("test.run").Value.String(), "/")
	t.Cleanup(func() {
		if n := ran.Load(); n < leastClients && !filtered {
			t.Errorf("%d clients ran, want at least %d: `make test` installs them", n, leastClients)
		}
	})
	for _, c := range realClients {
		if c.full && os.Getenv("TRUNKLINE_FULL") == "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // most of the time is what clients wait before they ask again
			tap := startTap(t)
			s := &stage{realClient: c, driver: c.start(t, tap.url), said: said, model: model, proxy: p, tap: tap}
			ran.Add(1)
			t.Run("direct", s.direct)
			t.Run("transparent", s.transparent)
			t.Run("identified", s.identified)
			t.Run("cut", s.cut)
			t.Run("throttled", s.throttled)
			if c.names != "" {
				t.Run("adopted", s.adopted)
			}
		})
	}
}
