package proxy_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestForkDuringAPrefill: an assistant item with which a request ends is the beginning of its
// answer. A fork that is taken while that streams ends at the turn before; one that is taken
// later holds both.
func TestForkDuringAPrefill(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if !strings.HasSuffix(string(raw), assistant("So ")+`]}`) {
			reply(200, "application/json", saidJSON("yes"))(w, r)
			return
		}
		begun <- struct{}{}
		<-end
		reply(200, "application/json", saidJSON("be it."))(w, r)
	})
	// A client's own history, in which one of its assistant items ends a turn.
	history := []string{prompt("1"), assistant("yes"), prompt("2")}
	prefilled := append(slices.Clone(history), assistant("So "))
	ended := make(chan answer)
	r := e.request("POST", chat, strings.NewReader(body("s", "", "", prefilled...)), "X-Agent-Id", "root")
	go func() { ended <- e.send(r) }()
	<-begun
	fork := func(id string) []string {
		t.Helper()
		e.post(body("", "", "", prompt("task")), "X-Agent-Id", id, "X-Agent-Parent-Id", "root", "X-Agent-Kind", "one-shot").ok(t)
		sent := e.sent()
		return sent[len(sent)-1].items(t)
	}
	if got, want := fork("early"), append(history[:2:2], prompt("task")); !slices.Equal(got, want) {
		t.Errorf("a fork during the answer sends %s, want %s", got, want)
	}
	end <- struct{}{}
	(<-ended).ok(t)
	if got, want := fork("late"), append(prefilled[:4:4], assistant("be it."), prompt("task")); !slices.Equal(got, want) {
		t.Errorf("a fork behind the answer sends %s, want %s", got, want)
	}
}
