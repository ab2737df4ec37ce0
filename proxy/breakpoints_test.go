package proxy_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
	"trunkline/proxy/sim"
)

const claude = "anthropic/claude-sonnet-4.5"

func breakpoints(c *proxy.Config) { c.Breakpoints = true }

// A bought is an edge in front of a simulated provider that caches at breakpoints only.
type bought struct {
	*edge
	sim   *sim.Server
	model string
}

// buying answers "call" and the results "more" with a call of pick, everything else with a text.
func buying(t *testing.T, provider, model string, where sim.Breakpoints, change ...func(*proxy.Config)) bought {
	t.Helper()
	s := sim.New(sim.Config{Base: "/", Order: sim.ToolsFirst, Breakpoints: where, Script: func(r sim.Request) sim.Answer {
		switch last := r.Items[len(r.Items)-1]; {
		case strings.HasPrefix(last.Text, "call"), strings.HasPrefix(last.Text, "more"):
			return sim.Answer{Calls: []sim.Call{{ID: fmt.Sprintf("c%d", len(r.Items)), Name: "pick", Arguments: "{}"}}}
		}
		return sim.Answer{Text: "yes"}
	}})
	return bought{newEdge(t, s.ServeHTTP, append(change, profile(t, provider))...), s, model}
}

func (b bought) ask(who []string, system, tools string, items ...string) {
	b.t.Helper()
	b.post(strings.Replace(body(system, tools, "", items...), `"m1"`, `"`+b.model+`"`, 1), who...).ok(b.t)
}

// tokens are those of a prompt of these parts, up to the end of the last text: all but the
// end of its item and the opening of the answer.
func (b bought) tokens(system, tools string, items ...string) int {
	b.t.Helper()
	s := sim.New(sim.Config{Base: "/", Order: sim.ToolsFirst, Lenient: true})
	alone := newEdge(b.t, s.ServeHTTP)
	alone.post(strings.Replace(body(system, tools, "", items...), `"m1"`, `"`+b.model+`"`, 1)).ok(b.t)
	return s.Requests()[0].PromptTokens - 2
}

// read is how many tokens the nth request read from the cache.
func (b bought) read(n int) int { return b.sim.Requests()[n].CachedTokens }

var (
	parent = []string{"X-Agent-Id", "parent"}
	child  = []string{"X-Agent-Id", "child", "X-Agent-Parent-Id", "parent", "X-Agent-Notify", "none"}
)

// TestForkReadsUpToTheForkPointAtBreakpoints: a parent in the middle of a turn has marked the
// end of its last completed one, so what a fork inherits can be read. Without the setting a
// provider that caches at markers only reads nothing of it.
func TestForkReadsUpToTheForkPointAtBreakpoints(t *testing.T) {
	system, long := strings.Repeat("Be brief. ", 600), strings.Repeat("word ", 900)
	inherited := []string{prompt("one " + long), assistant("yes")}
	for name, tt := range map[string]struct {
		change []func(*proxy.Config)
		read   bool
	}{
		"on":  {[]func(*proxy.Config){breakpoints}, true},
		"off": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			steps := make(chan proxy.StepInfo, 8)
			b := buying(t, "openrouter", claude, sim.ExplicitBreakpoints, append(tt.change, measuring(steps))...)
			b.ask(parent, system, tool("pick"), inherited[0])
			b.ask(parent, system, tool("pick"), append(inherited, prompt("call "+long))...)
			b.ask(child, "", "", prompt("task "+long))
			want := 0
			if tt.read {
				want = b.tokens(system, tool("pick"), inherited...)
			}
			if got := b.read(2); got != want {
				t.Errorf("the fork read %d tokens, want %d", got, want)
			}
			<-steps
			<-steps
			account := (<-steps).Reuse
			if lost := account.Shortfall(); lost > account.Prompt/100 || (account.Expected > 0) != tt.read {
				t.Errorf("expected %d, %d of them lost: %+v", account.Expected, lost, account)
			}
		})
	}
}

// TestEachStepOfALongTurnReadsTheOneBefore: the marker at the end moves on with every result.
func TestEachStepOfALongTurnReadsTheOneBefore(t *testing.T) {
	system := strings.Repeat("Be brief. ", 600)
	b := buying(t, "openrouter", claude, sim.ExplicitBreakpoints, breakpoints)
	items := []string{prompt("call it")}
	b.ask(parent, system, tool("pick"), items...)
	for n := 1; n < 30; n++ {
		id := fmt.Sprintf("c%d", len(items)+1)
		items = append(items, calling(id, "pick", "{}"), result(id, fmt.Sprint("more ", n)))
		b.ask(parent, system, tool("pick"), items...)
		if got, want := b.read(n), b.sim.Requests()[n-1].PromptTokens-2; got != want {
			t.Fatalf("step %d read %d tokens, the one before had %d", n, got, want)
		}
	}
}

// TestMarkedInstructionsServeAnotherConversation: a provider that sets a breakpoint of its
// own only at a request's end keeps the instructions for others where they are marked.
func TestMarkedInstructionsServeAnotherConversation(t *testing.T) {
	system := strings.Repeat("Be brief. ", 600)
	for name, tt := range map[string]struct {
		change []func(*proxy.Config)
		read   bool
	}{
		"on":  {[]func(*proxy.Config){breakpoints}, true},
		"off": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := buying(t, "openai", "gpt-5.6", sim.ImplicitBreakpoints, tt.change...)
			b.ask(parent, system, tool("pick"), prompt("one"))
			b.ask([]string{"X-Agent-Id", "other"}, system, tool("pick"), prompt("two"))
			want := 0
			if tt.read {
				want = b.tokens(system, tool("pick"))
			}
			if got := b.read(1); got != want {
				t.Errorf("the other conversation read %d tokens, want %d", got, want)
			}
			b.ask(parent, system, tool("pick"), prompt("one"), assistant("yes"), prompt("three"))
			if got, want := b.read(2), b.sim.Requests()[0].PromptTokens-2; got != want {
				t.Errorf("the next turn read %d tokens, want the whole earlier prompt of %d", got, want)
			}
		})
	}
}

// TestBreakpointsAreOnlyInWhatIsSent: with the setting each request is the one without it,
// but for the markers: nothing of them is kept for later requests, for forks or for the
// transcript.
func TestBreakpointsAreOnlyInWhatIsSent(t *testing.T) {
	play := func(change ...func(*proxy.Config)) (bodies []string, transcript string) {
		b := buying(t, "openrouter", claude, sim.ExplicitBreakpoints, append(change, withTools)...)
		history := []string{prompt("one"), assistant("yes"), prompt("call it")}
		b.ask(parent, "s", tool("pick"), history[:1]...)
		b.ask(parent, "s", tool("pick"), history...)
		b.ask(child, "", "", prompt("task"))
		b.ask(child, "", "", prompt("task"), assistant("yes"), prompt("and"))
		history = append(history, calling("c4", "pick", "{}"), result("c4", "done"))
		b.ask(parent, "s", tool("pick"), history...)
		b.ask(parent, "s", tool("pick"), history...) // again
		for _, r := range b.sent() {
			bodies = append(bodies, string(r.body))
		}
		return bodies, b.send(b.request("GET", "/agents/child/transcript", nil)).ok(t).body
	}
	plain, transcript := play()
	marked, markedTranscript := play(breakpoints)
	part := regexp.MustCompile(`\[\{"type":"text","text":("(?:[^"\\]|\\.)*"),"cache_control":\{"type":"ephemeral"\}\}\]`)
	for i := range plain {
		if n := strings.Count(marked[i], "cache_control"); n < 2 || n > 3 {
			t.Errorf("request %d has %d markers: %s", i, n, marked[i])
		}
		if got := part.ReplaceAllString(marked[i], "$1"); got != plain[i] {
			t.Errorf("request %d without its markers is\n%s\nand without the setting\n%s", i, got, plain[i])
		}
	}
	created := regexp.MustCompile(`"created_at":\d+`)
	if got, want := created.ReplaceAllString(markedTranscript, ""), created.ReplaceAllString(transcript, ""); got != want {
		t.Errorf("the transcript is\n%s\nand without the setting\n%s", got, want)
	}
}

// TestBreakpointsKeepOffOtherRequests: anonymous ones, those of clients that set markers, and
// those of models that take none.
func TestBreakpointsKeepOffOtherRequests(t *testing.T) {
	own := `{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}`
	for name, tt := range map[string]struct {
		who   []string
		model string
		item  string
	}{
		"anonymous":            {nil, claude, prompt("hi")},
		"with its own markers": {parent, claude, own},
		"without breakpoints":  {parent, "openai/gpt-5", prompt("hi")},
	} {
		t.Run(name, func(t *testing.T) {
			b := buying(t, "openrouter", tt.model, sim.NoBreakpoints, breakpoints)
			b.ask(tt.who, "s", tool("pick"), tt.item)
			want := strings.Replace(body("s", tool("pick"), "", tt.item), `"m1"`, `"`+tt.model+`"`, 1)
			if got := string(b.one().body); got != want {
				t.Errorf("sent %s, want %s", got, want)
			}
		})
	}
}

// TestForkWithoutAModelIsMarkedAsItsParentsModel: what a child's client leaves out is its
// parent's.
func TestForkWithoutAModelIsMarkedAsItsParentsModel(t *testing.T) {
	b := buying(t, "openrouter", claude, sim.ExplicitBreakpoints, breakpoints)
	b.ask(parent, "s", tool("pick"), prompt("one"))
	b.post(`{"messages":[`+prompt("task")+`]}`, child...).ok(t)
	sent := b.sent()[1]
	if n := strings.Count(string(sent.body), "cache_control"); n != 3 {
		t.Errorf("%d markers: %s", n, sent.body)
	}
	if model := string(sent.head(t).Field("model")); model != string(prefix.Quote(claude)) {
		t.Errorf("the child's model is %s", model)
	}
}
