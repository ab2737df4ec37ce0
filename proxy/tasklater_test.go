package proxy_test

import (
	"slices"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/tools"
)

// TestTaskBehindTheFirstRequest: what stands around a fork child's task, its own system text
// and the instruction to report, stands there also where the child's first request brings
// none.
func TestTaskBehindTheFirstRequest(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), withTools)
	e.post(body("s", "", "", prompt("1")), "X-Agent-Id", "root").ok(t)
	kid := func(items ...string) []string {
		t.Helper()
		e.post(body("Only look.", "", "", items...), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
		sent := e.sent()
		return sent[len(sent)-1].items(t)
	}
	if got, want := kid(), []string{prompt("1"), assistant("yes")}; !slices.Equal(got, want) {
		t.Errorf("without a task it sends %s, want what it inherits", got)
	}
	got := kid(assistant("yes"), prompt("look here"))
	want := prompt("Only look.\\n\\nlook here" + strings.Trim(string(prefix.Quote(tools.Guidance("root"))), `"`))
	if len(got) != 4 || got[3] != want {
		t.Errorf("the task went up as %s, want %s", got[len(got)-1], want)
	}
	later := kid(assistant("yes"), prompt("look here"), assistant("yes"), prompt("more"))
	if len(later) != 6 || !slices.Equal(later[:4], got) || later[5] != prompt("more") {
		t.Errorf("then %s, want it to go on from %s", later, got)
	}
}
