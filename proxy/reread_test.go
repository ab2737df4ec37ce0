package proxy_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
	"trunkline/proxy"
)

// overtaken is the store of a process that others overtake between the reading of a record
// and of the history that it names.
type overtaken struct {
	agents.Store
	meanwhile func()
	done      atomic.Bool
}

func (s *overtaken) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	if s.done.CompareAndSwap(false, true) {
		s.meanwhile()
	}
	return s.Store.Blobs(ctx, refs)
}

func (s *overtaken) Exclusive() bool { return false }

// TestHistoryGoneSinceItsRecordWasRead: another proxy deletes an agent, and all below it,
// when its record has been read for a request. That is told; it is no failure of this proxy.
func TestHistoryGoneSinceItsRecordWasRead(t *testing.T) {
	again := strings.Replace(ask, `]`, `,{"role":"assistant","content":"yes"},`+prompt("go on")+`]`, 1)
	for _, c := range []struct{ name, method, path, body, id, parent, code string }{
		{"its next request", "POST", chat, again, "a", "", "unknown_agent"},
		{"its transcript", "GET", "/agents/a/transcript", "", "", "", "unknown_agent"},
		{"the first request of its fork", "POST", chat, ask, "kid", "a", "unknown_parent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := storetest.Memory()
			on := func(store agents.Store, holder string) func(*proxy.Config) {
				return func(c *proxy.Config) { c.Agents = agents.New(agents.Config{Store: store, Holder: holder}) }
			}
			one := newEdge(t, reply(200, "application/json", saidJSON("yes")), on(shared{store}, "one"))
			one.post(ask, "X-Agent-Id", "a").ok(t)
			two := newEdge(t, reply(200, "application/json", saidJSON("yes")), on(&overtaken{Store: store, meanwhile: func() {
				one.call("DELETE", "/agents/a", "")
			}}, "two"))
			var header []string
			if c.id != "" {
				header = append(header, "X-Agent-Id", c.id)
			}
			if c.parent != "" {
				header = append(header, "X-Agent-Parent-Id", c.parent)
			}
			a := two.call(c.method, c.path, c.body, header...)
			if a.StatusCode != 404 || !strings.Contains(a.body, `"code":"`+c.code+`"`) {
				t.Errorf("the client reads %d %s", a.StatusCode, a.body)
			}
		})
	}
}
