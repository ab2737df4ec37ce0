package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/prefix"
	"trunkline/proxy"
)

// captured is one line of a recording of a real client.
type captured struct {
	Request struct {
		Method, Path string
		Headers      [][2]string
		Body         string
	}
	Response struct {
		Status  int
		Headers [][2]string
		Chunks  []string
		Body    string
	}
}

// TestRecordedClientsAnonymous: what real clients sent passes without a changed byte, and
// so does what they were answered.
func TestRecordedClientsAnonymous(t *testing.T) {
	eachRecording(t, func(t *testing.T, lines []captured) {
		p := newPlayer(t, lines)
		for i, line := range lines {
			status, body := p.send(line, "")
			if status != line.Response.Status || string(body) != line.answer() {
				t.Fatalf("request %d: the answer differs: %d %.300s", i, status, body)
			}
			if got := p.upstream[i]; string(got) != line.Request.Body {
				t.Fatalf("request %d: the body differs upstream", i)
			}
		}
	})
}

// TestRecordedClientsIdentified: the same traffic, each conversation as an agent. Wherever
// the client's own history only grew, so did what the provider was sent, and with the
// client's head unchanged the head is too. The client sees the very answer.
func TestRecordedClientsIdentified(t *testing.T) {
	var extensions atomic.Int64
	t.Run("clients", func(t *testing.T) {
		eachRecording(t, func(t *testing.T, lines []captured) {
			p := newPlayer(t, lines)
			type request struct{ client, upstream *prefix.Body }
			last := map[string][]request{} // agent → its requests
			for i, line := range lines {
				client, err := prefix.Split([]byte(line.Request.Body))
				if err != nil || !client.HasMessages {
					p.skip()
					continue // another API
				}
				id := line.conversation(client)
				status, body := p.send(line, id)
				if status != line.Response.Status || string(body) != line.answer() {
					t.Fatalf("request %d of %s: the answer differs: %d\n%.600s\nwant\n%.600s", i, id, status, body, line.answer())
				}
				up, err := prefix.Split(p.upstream[i])
				if err != nil {
					t.Fatal(err)
				}
				now := request{client, up}
				// An auxiliary call stands beside the conversation: the next request goes on
				// from the one that it extends.
				for _, before := range last[id] {
					if !extends(items(client), items(before.client)) || !equalHeads(client, before.client) {
						continue
					}
					extensions.Add(1)
					if !extends(items(up), items(before.upstream)) {
						t.Fatalf("request %d of %s does not extend upstream what it extends at the client:\n%s\nthen\n%s",
							i, id, show(before.upstream), show(up))
					}
					if !equalHeads(up, before.upstream) {
						t.Fatalf("request %d of %s: the head changed upstream", i, id)
					}
				}
				last[id] = append(last[id], now)
			}
		})
	})
	if n := extensions.Load(); n < 100 {
		t.Fatalf("only %d requests extended an earlier one: the recordings have more", n)
	}
}

func eachRecording(t *testing.T, f func(t *testing.T, lines []captured)) {
	files, err := filepath.Glob("../e2e/recordings/*.jsonl.gz")
	if err != nil || len(files) < 37 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".jsonl.gz"), func(t *testing.T) {
			t.Parallel()
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			z, err := gzip.NewReader(file)
			if err != nil {
				t.Fatal(err)
			}
			var lines []captured
			scan := bufio.NewScanner(z)
			scan.Buffer(nil, 16<<20)
			for scan.Scan() {
				var c captured
				if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
					t.Fatal(err)
				}
				if c.Request.Method == http.MethodPost {
					lines = append(lines, c)
				}
			}
			f(t, lines)
		})
	}
}

// player plays a recording against a proxy whose provider answers from it.
type player struct {
	t        *testing.T
	front    *httptest.Server
	lines    []captured
	upstream [][]byte
}

func newPlayer(t *testing.T, lines []captured) *player {
	p := &player{t: t, lines: lines}
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := p.lines[len(p.upstream)].Response
		p.upstream = append(p.upstream, body)
		for _, h := range answer.Headers {
			w.Header().Set(h[0], h[1])
		}
		w.Header().Del("Content-Length")
		w.Header().Del("Transfer-Encoding")
		w.WriteHeader(answer.Status)
		for _, chunk := range answer.Chunks {
			io.WriteString(w, chunk)
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, answer.Body)
	}))
	t.Cleanup(up.Close)
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "a.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	handler, err := proxy.New(proxy.Config{
		Upstreams: []string{up.URL + "/v1"},
		Agents:    agents.New(agents.Config{Store: store, Holder: "one"}),
		Tools:     []string{"send_message", "interrupt_agent", "list_agents"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.front = httptest.NewServer(handler)
	t.Cleanup(p.front.Close)
	return p
}

// skip passes over a line that is not played.
func (p *player) skip() { p.upstream = append(p.upstream, nil) }

func (p *player) send(line captured, agent string) (status int, body []byte) {
	p.t.Helper()
	path := line.Request.Path
	if i := strings.Index(path, "/v1/"); i >= 0 {
		path = path[i:]
	}
	r, err := http.NewRequest("POST", p.front.URL+path, strings.NewReader(line.Request.Body))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, h := range line.Request.Headers {
		switch strings.ToLower(h[0]) {
		case "host", "content-length", "connection", "accept-encoding":
		default:
			r.Header.Add(h[0], h[1])
		}
	}
	if agent != "" {
		r.Header.Set("X-Agent-Id", agent)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, body
}

func (c captured) answer() string { return strings.Join(c.Response.Chunks, "") + c.Response.Body }

// conversation names the conversation that a request belongs to: by the client's own
// session header, else by its first user message.
func (c captured) conversation(b *prefix.Body) string {
	for _, h := range c.Request.Headers {
		if name := strings.ToLower(h[0]); name == "x-session-id" || name == "session_id" {
			return h[1]
		}
	}
	// Qwen's subagents share the first user message, which tells the environment; the
	// task is the one after it.
	h := fnv.New64a()
	for k, i := range b.Items[b.LeadingSystem():] {
		if i.Role == "user" && k < 3 {
			h.Write(i.Raw)
		}
	}
	return fmt.Sprintf("c-%x", h.Sum64())
}

func items(b *prefix.Body) [][]byte {
	var raw [][]byte
	for _, i := range b.Items[b.LeadingSystem():] {
		raw = append(raw, i.Raw)
	}
	return raw
}

func extends(items, with [][]byte) bool {
	return len(items) > len(with) && begins(items, with)
}

func equalHeads(a, b *prefix.Body) bool { return prefix.HeadOf(a).Equal(prefix.HeadOf(b)) }

func show(b *prefix.Body) string {
	var out bytes.Buffer
	for _, i := range items(b) {
		fmt.Fprintf(&out, "  %.160s\n", i)
	}
	return out.String()
}
