package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trunkline/prefix"
)

// TestStrangers: with keys of two tenants, one of them asks for an agent of the other, and
// for one that there is not: by every call of the API's page, by its headers, and by its
// model's tools. Both times it reads the same, but for the id; and the other tenant's agents
// are as they were.
func TestStrangers(t *testing.T) {
	const theirs, nobody = "own-19", "own-42" // as near to one's own as each other
	page, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	routes := regexp.MustCompile("`(GET|POST|DELETE) (/agents/{id}[a-z_/]*)`").FindAllStringSubmatch(string(page), -1)
	if len(routes) < 10 {
		t.Fatalf("the page names the calls %q", routes)
	}
	bodies := map[string]string{
		"/agents/{id}/messages":     `{"from":"own-1","message":"hello"}`,
		"/agents/{id}/prompts":      `{"content":"hello"}`,
		"/agents/{id}/tool_outputs": `{"outputs":[{"tool_call_id":"c1","content":"hello"}]}`,
		"/agents/{id}/interrupt":    `{}`,
	}
	everyStore(t, func(t *testing.T, empty func() string) {
		w := &world{t: t, stream: true, store: empty()}
		keys := filepath.Join(t.TempDir(), "keys.yaml")
		if err := os.WriteFile(keys, []byte("keys: [{key: key-a, tenant: a, scopes: [admin]}, {key: key-b, tenant: b, scopes: [model, agents]}]"), 0o600); err != nil {
			t.Fatal(err)
		}
		said := lines{
			"root":   {text("One."), calls(tell(theirs, "wait")), text("Told.")},
			theirs:   {text("Done.")},
			"own-18": {text("Done.")},
			"own-1":  {text("Here.")},
		}
		for _, id := range []string{theirs, nobody} {
			said["own-1"] = append(said["own-1"], calls(tell(id, "hello")), text("So."), calls(call("interrupt_agent", `{"agent_id":"`+id+`"}`)), text("So."))
		}
		said["own-1"] = append(said["own-1"], calls(call("list_agents", `{"scope":"descendants"}`)), text("So."))
		w.serve(said, "--auth="+keys)
		as := func(key string, c *client) *client {
			c.header = map[string]string{"Authorization": "Bearer " + key}
			return c
		}
		root := as("key-a", w.root("root"))
		root.say(t, "one")
		as("key-a", w.fork(theirs, "root")).say(t, "do it")
		as("key-a", w.fork("own-18", theirs)).say(t, "do it")
		root.say(t, "tell it")
		before := reads(t, w, "key-a", "GET", "/agents?root=root", "")

		asker := as("key-b", w.root("own-1"))
		asker.say(t, "hello")
		same := func(what string, of func(id string) string) {
			t.Helper()
			other, none := strings.ReplaceAll(of(theirs), theirs, "ID"), strings.ReplaceAll(of(nobody), nobody, "ID")
			if other != none {
				t.Errorf("%s:\n%s\nof another tenant's agent, and of none\n%s", what, other, none)
			}
		}
		for _, route := range routes {
			same(route[0], func(id string) string {
				return reads(t, w, "key-b", route[1], strings.ReplaceAll(route[2], "{id}", id), bodies[route[2]])
			})
		}
		for _, query := range []string{"?root=", "?parent="} {
			same("GET /agents"+query, func(id string) string { return reads(t, w, "key-b", "GET", "/agents"+query+id, "") })
		}
		same("a child by the API", func(id string) string {
			return reads(t, w, "key-b", "POST", "/agents", `{"id":"own-2","parent_id":"`+id+`"}`)
		})
		same("a child by headers", func(id string) string {
			a := as("key-b", w.fork("own-2", id)).user("hello").try(t)
			return fmt.Sprint(a.status, a.raw)
		})
		result := func() string {
			items := w.model.last(t, "own-1").items
			return prefix.ContentText([]byte(items[len(items)-1]))
		}
		same("the tools", func(id string) string {
			asker.say(t, "tell "+id)
			sent := result()
			asker.say(t, "stop "+id)
			return sent + "\n" + result()
		})
		asker.say(t, "who is there?")
		if got := result(); got != "(no subagents)" {
			t.Errorf("a model is told of %s", got)
		}
		if after := reads(t, w, "key-a", "GET", "/agents?root=root", ""); after != before {
			t.Errorf("the agents' own tenant reads\n%s\nand before\n%s", after, before)
		}
	})
}

// reads is all of the answer to a call but its date.
func reads(t *testing.T, w *world, key, method, path, body string) string {
	t.Helper()
	response, raw := ask(t, w.proxy, key, method, path, body)
	var all strings.Builder
	all.WriteString(response.Status)
	for _, name := range slices.Sorted(maps.Keys(response.Header)) {
		if name != "Date" {
			fmt.Fprintf(&all, "\n%s: %q", name, response.Header[name])
		}
	}
	return all.String() + "\n" + string(raw)
}
