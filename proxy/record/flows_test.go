package record_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/proxy/record"
	"trunkline/proxy/record/recordtest"
	"trunkline/proxy/sim"
)

var update = flag.Bool("update", false, "record testdata/recordings anew, with the real program")

// TestRecordings replays our own recordings of each flow. `go test -run Recordings -update
// ./proxy/record` records them anew.
func TestRecordings(t *testing.T) {
	if *update {
		bin, err := harness.Build(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range flows() {
			t.Run("record/"+name, func(t *testing.T) { f.record(t, bin, name) })
		}
	}
	recordtest.Replay(t, "testdata/recordings")
}

// flow is a story: what the provider answers to whom, and what the clients do.
type flow struct {
	said map[string][]sim.Answer // client → its answers in order
	tell func(s *stage)
}

// record tells the story to the real program with --record, and keeps what it recorded.
func (f flow) record(t *testing.T, bin harness.Binary, name string) {
	model := sim.New(sim.Config{
		Script:       sim.Sequence(f.said),
		Conversation: func(r sim.Request) string { return r.Header.Get("User-Agent") },
		Lenient:      true,
	})
	provider := httptest.NewServer(model)
	defer provider.Close()
	dir := t.TempDir()
	p := bin.Serve(t, harness.Serve{Upstream: provider.URL + "/v1", Args: []string{"--record=" + dir}})
	s := &stage{t: t, url: p.URL, model: model}
	f.tell(s)
	p.Stop(t)

	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files recorded, %v", len(files), err)
	}
	exchanges, _, err := record.Read(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(exchanges) != s.asked {
		t.Fatalf("%d exchanges recorded of %d", len(exchanges), s.asked)
	}
	if err := os.MkdirAll("testdata/recordings", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := record.WriteFile(filepath.Join("testdata/recordings", name+".jsonl"), exchanges); err != nil {
		t.Fatal(err)
	}
}

// stage is where the clients of a story act.
type stage struct {
	t     *testing.T
	url   string
	model *sim.Server
	asked int
}

// actor is the client of one agent. It keeps its conversation and sends all of it.
type actor struct {
	*stage
	id, parent string
	header     map[string]string
	stream     bool
	tools      string
	items      []string
}

const pick = `[{"type":"function","function":{"name":"pick","parameters":{"type":"object","properties":{"it":{"type":"string"}}}}}]`

// root is a client whose system prompt is large enough for what provider caches ask.
func (s *stage) root(id string) *actor {
	system := "You are careful. " + strings.Repeat("Say what you see and nothing else. ", 20)
	return &actor{stage: s, id: id, stream: true, tools: pick, items: []string{item("system", system)}}
}

func (s *stage) fork(id, parent string) *actor {
	return &actor{stage: s, id: id, parent: parent, stream: true}
}

func item(role, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"role":%q,"content":%s}`, role, quoted)
}

// user adds a prompt.
func (a *actor) user(text string) *actor {
	a.items = append(a.items, item("user", text))
	return a
}

// reply is what came of a request.
type reply struct {
	status int
	item   string // the assistant message as a client sends it back
	calls  []string
}

// post sends the conversation.
func (a *actor) post(ctx context.Context) (*http.Response, error) {
	body := `{"model":"sim-1","messages":[` + strings.Join(a.items, ",") + `]`
	if a.tools != "" {
		body += `,"tools":` + a.tools
	}
	if a.stream {
		body += `,"stream":true`
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/v1/chat/completions", strings.NewReader(body+"}"))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if a.id != "" {
		r.Header.Set("User-Agent", a.id)
		r.Header.Set("X-Agent-Id", a.id)
	}
	if a.parent != "" {
		r.Header.Set("X-Agent-Parent-Id", a.parent)
	}
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	a.asked++
	return http.DefaultClient.Do(r)
}

// send sends the conversation, and keeps the answer if it is one.
func (a *actor) send() reply {
	a.t.Helper()
	resp, err := a.post(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	r := reply{status: resp.StatusCode}
	if r.status != http.StatusOK {
		io.Copy(io.Discard, resp.Body)
		return r
	}
	if a.stream {
		r.stream(a.t, resp.Body)
	} else {
		r.whole(a.t, resp.Body)
	}
	a.items = append(a.items, r.item)
	return r
}

// turn takes a turn to its end: it answers every call.
func (a *actor) turn(prompt string) {
	a.t.Helper()
	a.user(prompt)
	for a.step() {
	}
}

// step sends the conversation once and answers the calls that come back.
func (a *actor) step() (more bool) {
	a.t.Helper()
	r := a.send()
	if r.status != http.StatusOK {
		a.t.Fatalf("%s is answered %d", a.id, r.status)
	}
	for _, id := range r.calls {
		a.items = append(a.items, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"picked"}`, id))
	}
	return len(r.calls) > 0
}

type message struct {
	Content *string `json:"content"`
	Calls   []struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (r *reply) whole(t *testing.T, body io.Reader) {
	var w struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
	}
	if err := json.NewDecoder(body).Decode(&w); err != nil || len(w.Choices) != 1 {
		t.Fatalf("the answer is not one: %v", err)
	}
	r.item = string(w.Choices[0].Message)
	var m message
	if err := json.Unmarshal(w.Choices[0].Message, &m); err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Calls {
		r.calls = append(r.calls, c.ID)
	}
}

func (r *reply) stream(t *testing.T, body io.Reader) {
	var text strings.Builder
	var calls []map[string]any
	lines := bufio.NewScanner(body)
	done := false
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			done = true
			break
		}
		var e struct {
			Choices []struct {
				Delta message `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		for _, c := range e.Choices {
			if c.Delta.Content != nil {
				text.WriteString(*c.Delta.Content)
			}
			for _, call := range c.Delta.Calls {
				if call.ID != "" {
					r.calls = append(r.calls, call.ID)
					calls = append(calls, map[string]any{"id": call.ID, "type": "function", "function": map[string]string{"name": call.Function.Name, "arguments": ""}})
				}
				f := calls[call.Index]["function"].(map[string]string)
				f["arguments"] += call.Function.Arguments
			}
		}
	}
	io.Copy(io.Discard, body)
	if !done {
		t.Fatal("the answer broke off")
	}
	m := map[string]any{"role": "assistant", "content": text.String()}
	if len(calls) > 0 {
		m["tool_calls"] = calls
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	r.item = string(b)
}
