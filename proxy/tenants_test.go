package proxy_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trunkline/agents"
	"trunkline/proxy/api"
)

// TestNothingTellsOfOtherTenants has one tenant try everything with an id, twice: while it
// knows of no such agent, and when it has taken the id for one of its own. Whatever an agent
// of another tenant with that very id does meanwhile: every answer, every request to the
// provider, and every look into the store are those of a proxy that nobody else uses. So
// neither does the time tell anything that an answer takes.
func TestNothingTellsOfOtherTenants(t *testing.T) {
	alone := visit(t, nil)
	for name, others := range theirs {
		t.Run(name, func(t *testing.T) {
			for i, seen := range visit(t, others) {
				if diff := cmp.Diff(alone[i], seen, cmp.AllowUnexported(glimpse{})); diff != "" {
					t.Errorf("%s: alone (-), and beside others (+):\n%s", seen.what, diff)
				}
			}
		})
	}
}

// theirs are the ways in which the other tenant's agent own-19 may be there.
var theirs = map[string]func(*house){
	"idle": func(h *house) {
		h.as("theirs", "own-19").asks("hello")
	},
	"in a turn": func(h *house) {
		h.as("theirs", "own-19").asks("call pick {}")
	},
	"being served": func(h *house) {
		held := h.as("theirs", "own-19").request("hold")
		ended := make(chan struct{})
		go func() { h.send(held); close(ended) }()
		h.t.Cleanup(func() { <-ended })
		<-h.held
	},
	"a settled child": func(h *house) {
		h.as("theirs", "own-18").asks("hello")
		h.as("theirs", "own-19", "own-18").asks("hello")
	},
	"a parent": func(h *house) {
		h.as("theirs", "own-19").asks("hello")
		h.as("theirs", "own-1", "own-19").asks("hello")
		h.as("theirs", "own-17", "own-1").asks("call pick {}")
	},
	"with messages parked": func(h *house) {
		h.as("theirs", "own-1").asks("hello")
		h.as("theirs", "own-19", "own-1").asks("hello")
		h.as("theirs", "own-1").asks(`call send_message {"agent_id":"own-19","message":"wait"}`)
	},
	"created only": func(h *house) {
		h.must(201, "POST", "/agents", `{"id":"own-19","label":"another"}`, "Authorization", "Bearer theirs")
	},
	"deleted": func(h *house) {
		h.as("theirs", "own-19").asks("hello")
		h.must(204, "DELETE", "/agents/own-19", "", "Authorization", "Bearer theirs")
	},
	"unreadable": func(h *house) {
		h.as("theirs", "own-19").asks("hello")
		key := agents.Key{Tenant: "a", ID: "own-19"}
		stored, err := h.store.Load(h.t.Context(), key)
		if err == nil {
			_, err = h.store.Commit(h.t.Context(), key, agents.Change{Version: stored.Version, Data: []byte("{")})
		}
		if err != nil {
			h.t.Fatal(err)
		}
	},
}

// glimpse is all that a tenant can see of one of its calls.
type glimpse struct {
	what   string
	answer string
	sent   []string // to the provider
	looked []string // into the store
}

// visit lets tenant b try everything beside what others did before.
func visit(t *testing.T, others func(*house)) (seen []glimpse) {
	t.Helper()
	h := newHouse(t)
	h.handler.Drain() // a wait ends when it has looked
	if others != nil {
		others(h)
		view := func() string { return h.call("GET", "/agents?root=own-19", "", "Authorization", "Bearer theirs").body }
		before := view()
		defer func() {
			if after := view(); after != before {
				t.Errorf("the other tenant sees\n%s\nand before\n%s", after, before)
			}
		}()
	}
	look := func(what, asker string, do func() answer) {
		t.Helper()
		sent := len(h.sent())
		h.store.take("")
		a := do()
		g := glimpse{what: what, answer: told(t, a), looked: h.store.take(asker)}
		for _, r := range h.sent()[sent:] {
			g.sent = append(g.sent, string(r.body))
		}
		seen = append(seen, g)
	}

	says := func(what, text, id string, parent ...string) {
		t.Helper()
		look(what, id, func() answer { return h.as("mine", id, parent...).post(text) })
	}
	calls := func(what string, status int, method, path, body string) {
		t.Helper()
		look(what, "", func() answer {
			a := h.call(method, path, body, "Authorization", "Bearer mine")
			if a.StatusCode != status {
				t.Errorf("%s: %s, want %d", what, a.Status, status)
			}
			return a
		})
	}

	for _, path := range []string{chat, "/v1/responses", "/v1/messages"} {
		look("anonymous "+path, "", func() answer {
			defer func() { <-h.ended }()
			return h.call("POST", path, body("s", tool("pick"), "", prompt("hello")), "Authorization", "Bearer mine", "Session-Id", "own-19")
		})
	}
	says("a root", "hello", "own-1")
	says("a fork", "hello", "own-17", "own-1")
	routes := map[string]bool{}
	everything := func(when string, there bool) {
		for _, c := range visits {
			routes[c.route] = true
			method, path, _ := strings.Cut(c.route, " ")
			path = strings.ReplaceAll(path, "{id}", "own-19") + c.query
			status := c.none
			if there {
				status = c.own
			}
			calls(when+c.route+c.query+c.body, status, method, path, c.body)
		}
		for _, call := range []string{
			`send_message {"agent_id":"own-19","message":"hello"}`,
			`interrupt_agent {"agent_id":"own-19"}`,
			`list_agents {"scope":"children"}`,
			`list_agents {"scope":"descendants"}`,
		} {
			says(when+call, "call "+call, "own-1")
		}
		says(when+"its child by headers", "hello", "own-20", "own-19")
	}
	everything("no such agent: ", false)
	calls("take the id", 201, "POST", "/agents", `{"id":"own-19","parent_id":"own-1"}`)
	calls("take it again", 200, "POST", "/agents", `{"id":"own-19","parent_id":"own-1"}`)
	calls("take it for another", 409, "POST", "/agents", `{"id":"own-19","label":"x"}`)
	says("use the id", "hello", "own-19", "own-1")
	everything("an agent of one's own: ", true)
	says("take the id as a root", "hello", "own-19")

	for path, methods := range api.Routes() {
		for _, method := range methods {
			if route := method + " " + path; !routes[route] {
				t.Errorf("no visit of %s", route)
			}
		}
	}
	return seen
}

// visits are calls of the API about the agent {id}, at least one of each route, with the
// status of their answer while there is no such agent, and when there is one.
var visits = []struct {
	route, query, body string
	none, own          int
}{
	{"GET /agents", "", "", 200, 200},
	{"GET /agents", "?scope=children", "", 200, 200},
	{"GET /agents", "?root=own-19", "", 404, 404}, // it is no root
	{"GET /agents", "?parent=own-19", "", 404, 200},
	{"GET /agents", "?root=own-1&parent=own-19", "", 404, 200},
	{"POST /agents", "", `{"id":"own-20","parent_id":"own-19"}`, 404, 201},
	{"GET /agents/{id}", "", "", 404, 200},
	{"POST /agents/{id}/messages", "", `{"from":"own-1","message":"hello"}`, 404, 202},
	{"POST /agents/{id}/messages", "", `{"from":"own-19","message":"hello"}`, 404, 403},
	{"POST /agents/{id}/messages", "", `{"from":"own-17","message":"hello"}`, 404, 403},
	{"POST /agents/{id}/prompts", "", `{"content":"hello"}`, 404, 409},
	{"POST /agents/{id}/tool_outputs", "", `{"outputs":[{"tool_call_id":"c1","content":"hello"}]}`, 404, 409},
	{"POST /agents/{id}/interrupt", "", `{}`, 404, 202},
	{"GET /agents/{id}/wait", "?timeout=0s", "", 404, 200},
	{"GET /agents/{id}/wait", "?timeout=0s&after=1000", "", 404, 204},
	{"GET /agents/{id}/events", "", "", 404, 200},
	{"GET /agents/{id}/transcript", "", "", 404, 200},
	{"GET /agents/{id}/prefix", "", "", 404, 200},
	{"DELETE /agents/{id}", "", "", 204, 204},
}

// told is an answer as its client sees it, but for the time.
func told(t *testing.T, a answer) string {
	t.Helper()
	if a.err != nil {
		t.Fatal(a.err)
	}
	var all strings.Builder
	fmt.Fprintln(&all, a.Status)
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		if name != "Date" && name != "Content-Length" { // the body's, which is compared
			fmt.Fprintln(&all, name, a.Header[name])
		}
	}
	all.WriteString(a.body)
	return ofTheTime.ReplaceAllString(all.String(), "${1}TIME")
}

// ofTheTime is what the clock has a part in: times, spans, versions in ids, and the hashes
// of histories in which those stand.
var ofTheTime = regexp.MustCompile(`("(?:created_at|active_at|accepted_at|sent_at|ttft_ms|took_ms)":)("[^"]*"|\d+)|\b\d{16}\b|\bnode:[0-9a-f]+`)
