package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy/sim"
)

// TestEstimateBeforeTheAnswer: what a prompt comes to, and what it shares with earlier ones,
// is known to one per cent from the second request of a lineage on, and from the first of a
// fork, before the provider answers: growing chats, tool loops and forks of up to 30,000
// tokens, new text of up to 10,000 bytes in them. (What other tokenizers than the simulated
// provider's make of that: prefix/tokenizer.)
func TestEstimateBeforeTheAnswer(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := newGauge(t, seed)
			for _, kind := range []string{"prose", "code", "mixed"} {
				system := g.text("prose", 8_000+g.rng.IntN(24_000)) // as agents' instructions are
				g.chat("chat-"+kind, "", system, kind, 16)
				for i := range 3 {
					g.chat(fmt.Sprintf("fork-%s-%d", kind, i), "chat-"+kind, "", kind, 4)
				}
			}
			g.check()
		})
	}
}

// gauge drives agents through a server, and notes for each provider request what its prompt
// was taken for when it arrived, and what the provider said of it.
type gauge struct {
	t       *testing.T
	rng     *rand.Rand
	server  *Server
	figures []figure
}

type figure struct {
	agent               string
	nth                 int   // of the agent's, from 0
	estimated, reported int64 // tokens of the whole prompt
	answer              int64 // tokens of what was answered
	shared, repeated    int64 // of what it shares: as estimated, and as reported with the request before and its answer
}

func newGauge(t *testing.T, seed uint64) *gauge {
	g := &gauge{t: t, rng: rand.New(rand.NewPCG(seed, 1))}
	provider := sim.New(sim.Config{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		g.estimate(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		provider.ServeHTTP(w, r)
	}))
	t.Cleanup(up.Close)
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "a.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	profile, err := reuse.Lookup("sim")
	if err != nil {
		t.Fatal(err)
	}
	g.server, err = New(Config{
		Upstreams: []string{up.URL + "/v1"}, Provider: profile,
		Agents: agents.New(agents.Config{Store: store, Holder: "one"}),
		Tools:  []string{"send_message", "interrupt_agent", "list_agents"},
		Trace:  Trace{Step: g.report},
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// estimate looks a prompt up as it goes to the provider.
func (g *gauge) estimate(raw []byte) {
	body, err := prefix.Split(raw)
	if err != nil {
		g.t.Error(err)
		return
	}
	var items [][]byte
	for _, item := range body.Items[body.LeadingSystem():] {
		items = append(items, item.Raw)
	}
	path := reuse.PathOf(g.server.Provider.Render, prefix.HeadOf(body), items)
	found := g.server.index.Look(reuse.Scope{Tenant: "local", Provider: "sim", Model: "m"}, path, "", time.Now())
	var f figure
	f.estimated, _ = found.Calibrate(path).Tokens(path.Bytes(path.Len()))
	f.shared, _ = found.Calibrate(path).Tokens(found.Bytes)
	g.figures = append(g.figures, f)
}

// report is told of a request when its answer has ended.
func (g *gauge) report(i StepInfo) {
	f := &g.figures[len(g.figures)-1]
	f.agent, f.reported, f.answer = i.Agent, i.Usage.Prompt.N, i.Usage.Completion.N
	for _, earlier := range g.figures[:len(g.figures)-1] {
		if earlier.agent == i.Agent {
			f.nth++
			f.repeated = earlier.reported + earlier.answer
		}
	}
}

// chat lets an agent's client take turns, every second one with a tool loop, and returns its
// history.
func (g *gauge) chat(id, parent, system, kind string, turns int) (history []string) {
	if system != "" {
		history = append(history, item("system", system))
	}
	for turn := range turns {
		ask := g.text(kind, 200+g.rng.IntN(3000))
		if turn%2 == 1 {
			ask += "\ncall look {\"at\":\"" + fmt.Sprint(turn) + "\"}\nthen say it is seen"
		}
		history = append(history, item("user", ask))
		answer := g.post(id, parent, history)
		history = append(history, answer)
		if turn%2 == 1 {
			var called struct {
				Calls []struct{ ID string } `json:"tool_calls"`
			}
			if err := json.Unmarshal([]byte(answer), &called); err != nil || len(called.Calls) != 1 {
				g.t.Fatalf("the answer is %s", answer)
			}
			seen, _ := json.Marshal(g.text(kind, 500+g.rng.IntN(10_000)))
			history = append(history, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, called.Calls[0].ID, seen))
			history = append(history, g.post(id, parent, history))
		}
	}
	return history
}

func (g *gauge) post(id, parent string, history []string) (answer string) {
	g.t.Helper()
	tools := `,"tools":[{"type":"function","function":{"name":"look","description":"Looks at something and says what it sees.","parameters":{"type":"object","properties":{"at":{"type":"string"}}}}}]`
	if parent != "" {
		tools = ""
	}
	r := httptest.NewRequest("POST", "http://127.0.0.1/v1/chat/completions", strings.NewReader(`{"model":"m","messages":[`+strings.Join(history, ",")+`]`+tools+`}`))
	r.Header.Set("X-Agent-Id", id)
	if parent != "" {
		r.Header.Set("X-Agent-Parent-Id", parent)
		r.Header.Set("X-Agent-Notify", "none")
	}
	w := httptest.NewRecorder()
	g.server.ServeHTTP(w, r)
	var said struct {
		Choices []struct{ Message json.RawMessage }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || len(said.Choices) != 1 {
		g.t.Fatalf("%s: %d %s", id, w.Code, w.Body)
	}
	return string(said.Choices[0].Message)
}

func item(role, text string) string {
	content, _ := json.Marshal(text)
	return `{"role":"` + role + `","content":` + string(content) + `}`
}

// text is some bytes of a kind of text.
func (g *gauge) text(kind string, n int) string {
	var b strings.Builder
	for b.Len() < n {
		k := kind
		if kind == "mixed" {
			k = []string{"prose", "code"}[g.rng.IntN(2)]
		}
		if k == "prose" {
			fmt.Fprintf(&b, "The %s %s %s. ", g.word(), g.word(), g.word())
		} else {
			fmt.Fprintf(&b, "\tif %s != %q {\n\t\treturn %d\n\t}\n", g.word(), g.word(), g.rng.IntN(1000))
		}
	}
	return b.String()
}

// word is one of a few.
func (g *gauge) word() string {
	words := strings.Fields("branch prompt cache parent child message inbox store request answer provider tokens history insert agent settle")
	return words[g.rng.IntN(len(words))]
}

// check judges the figures, and logs them.
func (g *gauge) check() {
	worst, sum, n, high := 0.0, 0.0, 0, int64(0)
	for _, f := range g.figures {
		high = max(high, f.reported)
		if off := math.Abs(float64(f.shared-f.repeated)) / float64(f.reported); f.nth > 0 && off > 0.01 {
			g.t.Errorf("request %d of %s: %d tokens are taken for shared, %d are, of %d", f.nth+1, f.agent, f.shared, f.repeated, f.reported)
		}
		if f.nth == 0 && !strings.HasPrefix(f.agent, "fork") {
			continue
		}
		off := math.Abs(float64(f.estimated-f.reported)) / float64(f.reported)
		worst, sum, n = max(worst, off), sum+off, n+1
		if off > 0.01 {
			g.t.Errorf("request %d of %s: %d tokens before, %d reported, %.2f %% off", f.nth+1, f.agent, f.estimated, f.reported, 100*off)
		}
	}
	g.t.Logf("%d prompts of up to %d tokens: %.2f %% off on average, at most %.2f %%", n, high, 100*sum/float64(n), 100*worst)
}
