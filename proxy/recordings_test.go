package proxy_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/e2e/recordings"
	"trunkline/prefix"
	"trunkline/proxy"
)

// TestRecordedClientsAnonymous: what real clients sent passes without a changed byte, and
// so does what they were answered. Whose continuation a request is shows without any
// identity: one that only extends an earlier request breaks nothing, and shares all of it.
// One whose answer there the client has changed meanwhile (qwen trims them when a turn is
// over) is told by what it has in common with those behind it.
func TestRecordedClientsAnonymous(t *testing.T) {
	var extensions atomic.Int64
	t.Run("clients", func(t *testing.T) {
		eachRecording(t, func(t *testing.T, lines []recordings.Exchange) {
			p := newPlayer(t, lines)
			var before []*prefix.Body
			for i, line := range lines {
				a := p.passes(i, line, "")
				now, err := prefix.Split([]byte(line.Request.Body))
				if err != nil || !now.HasMessages {
					continue // another API
				}
				var longest *prefix.Body
				for _, b := range before {
					if extends(items(now), items(b)) && equalHeads(now, b) {
						extensions.Add(1)
						if longest == nil || len(items(b)) > len(items(longest)) {
							longest = b
						}
					}
				}
				if longest != nil {
					shared, _ := strconv.Atoi(a.Header.Get("X-Prefix-Shared-Bytes"))
					want := "none"
					if slices.ContainsFunc(before, func(b *prefix.Body) bool { return rejoins(items(now), items(b), len(items(longest))) }) {
						want = "history_rewritten"
					}
					if cause := a.Header.Get("X-Prefix-Break"); cause != want || shared < rendered(longest) {
						t.Errorf("request %d: break %s, %d bytes shared; it extends one of %d, and the break is %s", i, cause, shared, rendered(longest), want)
					}
				}
				before = append(before, now)
			}
		})
	})
	if n := extensions.Load(); n < 100 {
		t.Fatalf("only %d requests extended an earlier one: the recordings have more", n)
	}
}

// rejoins reports whether two histories part at an answer, with so many items before it, and
// have what came of that in common.
func rejoins(a, b [][]byte, at int) bool {
	return min(len(a), len(b)) > at+1 && begins(a, b[:at]) && !bytes.Equal(a[at], b[at]) && bytes.Equal(a[at+1], b[at+1])
}

// rendered is how many bytes a provider renders of a request: its head's values and its items.
func rendered(b *prefix.Body) (n int) {
	head := prefix.HeadOf(b)
	for _, raw := range slices.Concat(head.Tools, head.System, items(b)) {
		n += len(raw)
	}
	for _, f := range head.Fields {
		n += len(f.Raw)
	}
	return n
}

// TestRecordedClientsIdentified: the same traffic, each conversation as an agent. Wherever
// the client's own history only grew, so did what the provider was sent, and with the
// client's head unchanged the head is too. The client sees the very answer.
func TestRecordedClientsIdentified(t *testing.T) {
	var extensions atomic.Int64
	t.Run("clients", func(t *testing.T) {
		eachRecording(t, func(t *testing.T, lines []recordings.Exchange) {
			p := newPlayer(t, lines)
			type request struct{ client, upstream *prefix.Body }
			last := map[string][]request{} // agent → its requests
			for i, line := range lines {
				client, err := prefix.Split([]byte(line.Request.Body))
				if err != nil || !client.HasMessages {
					p.passes(i, line, "a") // another API, which is not edited
					continue
				}
				id := conversation(line, client)
				p.answers(i, line, id)
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

func eachRecording(t *testing.T, f func(t *testing.T, lines []recordings.Exchange)) {
	all := recordings.Load(t)
	if len(all) < 37 {
		t.Fatalf("%d recordings", len(all))
	}
	for _, r := range all {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			f(t, r.Exchanges)
		})
	}
}

// player plays a recording against a proxy whose provider answers from it.
type player struct {
	t        *testing.T
	front    *httptest.Server
	lines    []recordings.Exchange
	upstream [][]byte
}

func newPlayer(t *testing.T, lines []recordings.Exchange) *player {
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
	handler := newHandler(t, proxy.Config{Upstreams: []string{up.URL + "/v1"}}, withTools)
	p.front = httptest.NewServer(handler)
	t.Cleanup(p.front.Close)
	return p
}

// passes sends the request and checks that neither it nor its answer changes on the way.
func (p *player) passes(i int, line recordings.Exchange, agent string) answer {
	p.t.Helper()
	a := p.answers(i, line, agent)
	if got := p.upstream[i]; string(got) != line.Request.Body {
		p.t.Fatalf("request %d: the body differs upstream", i)
	}
	return a
}

// answers sends the request and checks that its client sees the provider's very answer.
func (p *player) answers(i int, line recordings.Exchange, agent string) answer {
	p.t.Helper()
	a := p.send(line, agent)
	if a.StatusCode != line.Response.Status || a.body != line.Answer() {
		p.t.Fatalf("request %d: the answer differs: %d\n%.600s\nwant\n%.600s", i, a.StatusCode, a.body, line.Answer())
	}
	return a
}

func (p *player) send(line recordings.Exchange, agent string) answer {
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
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer{resp, string(body), nil}
}

// conversation names the conversation that a request belongs to: by the client's own
// session header, else by its first user message.
func conversation(c recordings.Exchange, b *prefix.Body) string {
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
