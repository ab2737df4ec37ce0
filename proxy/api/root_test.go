package api_test

import (
	"strings"
	"testing"
)

// TestListOfNoRoot: a tree is named by its root. Who names another agent of it is told so, and
// not that there is no such agent.
func TestListOfNoRoot(t *testing.T) {
	e := newEdge(t, okay)
	e.must(201, "POST", "/agents", `{"id":"r"}`)
	e.must(201, "POST", "/agents", `{"id":"kid","parent_id":"r"}`)
	for _, id := range []string{"kid", "nobody"} {
		if a := e.call("GET", "/agents?root="+id, ""); a.StatusCode != 404 || !strings.Contains(a.body, `"root: there is no such root `) || !strings.Contains(a.body, `"param":"root"`) {
			t.Errorf("%s: status %d, body %s", id, a.StatusCode, a.body)
		}
	}
}
