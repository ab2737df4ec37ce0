package proxy_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestSharedBytesAreThoseOfTheModelAsked: a conversation that goes over to another model
// shares with it what others have sent there, and breaks at its model all the same.
func TestSharedBytesAreThoseOfTheModelAsked(t *testing.T) {
	system := strings.Repeat("s", 5000)
	to := func(model string, items ...string) string {
		return strings.Replace(body(system, "", "", items...), `"m1"`, `"`+model+`"`, 1)
	}
	steps := make(chan proxy.StepInfo, 1)
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
	for _, ask := range []string{
		to("m2", prompt("another conversation")),
		to("m1", prompt("one"), assistant("yes"), prompt("two")),
	} {
		e.post(ask).ok(t)
		<-steps
	}
	a := e.post(to("m2", prompt("one"), assistant("yes"), prompt("two"), assistant("yes"), prompt("three"))).ok(t)
	info := <-steps
	if a.Header.Get("X-Prefix-Break") != "model_changed" || info.Shared < 5000 || info.Shared > info.Bytes {
		t.Errorf("break %s, %d of %d bytes shared", a.Header.Get("X-Prefix-Break"), info.Shared, info.Bytes)
	}
}

// TestTheLogHoldsNamesInBrief: names of a client's own invention are texts of its request;
// of a long one only the beginning is logged.
func TestTheLogHoldsNamesInBrief(t *testing.T) {
	var log bytes.Buffer
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")), func(c *proxy.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	long := strings.Repeat("n", 4000)
	for _, name := range []string{"a", "b"} {
		for _, ask := range []string{
			body("tools", tool(name+long), "", prompt("one"), assistant("yes"), prompt("two")),
			body("field", "", `,"`+name+long+`":1`, prompt("one"), assistant("no"), prompt("two")),
			strings.Replace(body("model", "", "", prompt("one")), `"m1"`, `"`+name+long+`"`, 1),
		} {
			e.post(ask).ok(t)
		}
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 6 {
		t.Fatalf("%d lines:\n%s", len(lines), &log)
	}
	for _, line := range lines {
		if len(line) > 1200 {
			t.Errorf("a line of %d bytes: %.300s…", len(line), line)
		}
	}
}
