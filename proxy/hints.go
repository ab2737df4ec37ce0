package proxy

import (
	"hash/fnv"
	"net/http"
	"strconv"

	"trunkline/agents"
	"trunkline/prefix"
)

// A hint is a pair of headers by which a known client names a conversation, and the one
// that it came from, by itself.
type hint struct{ id, parent string }

// hints are most telling first: Codex (whose session id is the same for its subagents),
// OpenCode, pi, DeepSeek Harness, Dynamo.
var hints = [...]hint{
	{"Thread-Id", "X-Codex-Parent-Thread-Id"},
	{"X-Session-Id", "X-Parent-Session-Id"},
	{"Session_id", ""},
	{"Session-Id", ""},
	{"X-Session-Affinity", ""},
	{"X-Deepseek-Harness-Session-Id", ""},
	{"X-Dynamo-Session-Id", "X-Dynamo-Parent-Session-Id"},
}

// lineage is the name that a client's own headers give its conversation, for observation
// only; "" when they give none.
func lineage(h http.Header) string {
	id, _ := hinted(h)
	return id
}

func hinted(h http.Header) (id, parent string) {
	for _, hint := range hints {
		if id := h.Get(hint.id); id != "" && len(id) <= agents.MaxID {
			if hint.parent != "" {
				parent = h.Get(hint.parent)
			}
			return id, parent
		}
	}
	return "", ""
}

// thread tells the conversations of anonymous clients apart, so that each keeps to one replica:
// by its client's own headers, else by its first message, which stays while it grows. What
// goes on from an answer that a provider keeps shows neither: such requests stay together.
func thread(h http.Header, route string, body *prefix.Body) string {
	if id := lineage(h); id != "" || route == routeResponses {
		return id
	}
	first := fnv.New64a()
	if items := body.Items[body.LeadingSystem():]; len(items) > 0 {
		first.Write(items[0].Raw[:min(len(items[0].Raw), 64<<10)])
	}
	return strconv.FormatUint(first.Sum64(), 16)
}

// adopt takes a client's own headers as identity. Its children keep their own head and
// history, and nobody is told when they settle: their client tells it in its own way.
func adopt(h http.Header) (id string, who agents.Identity, ok bool) {
	id, parent := hinted(h)
	if agents.CheckID(id) != nil {
		return "", who, false
	}
	if agents.CheckID(parent) == nil && parent != id {
		who = agents.Identity{Parent: parent, Mode: agents.ModeSpawn, Notify: agents.NotifyNone}
	}
	return id, who, true
}
