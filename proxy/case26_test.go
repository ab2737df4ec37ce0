package proxy_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/proxy"
)

// TestCase26: comments keep a stream alive for longer than any silence may last, and pass;
// they are no content, so the first token is the first that brings some.
func TestCase26(t *testing.T) {
	comments := []string{": OPENROUTER PROCESSING\n\n", "retry: 1000\n\n", "id: 7\n: ping\n\n", "\n", ":\n\n"}
	inTime(t, func(t *testing.T, who []string) {
		var pieces []string
		for range 4 {
			pieces = append(pieces, comments...)
		}
		pieces = append(pieces, "id: 7\n"+said("yes")[0], ": ping\n\n", strings.Join(said("yes")[1:], ""))
		steps := make(chan proxy.StepInfo, 1)
		e, stop := newPipeEdge(t, slowly(31*time.Second, pieces...), measuring(steps))
		defer stop()
		a := e.post(askStream, slices.Clone(who)...)
		// An agent's finish is held until the stream's end, and the proxy shows meanwhile that it lives.
		got := strings.ReplaceAll(a.body, ": trunkline\n", "")
		if a.err != nil || got != strings.Join(pieces, "") {
			t.Errorf("error %v, the client got %q", a.err, a.body)
		}
		if info, want := <-steps, 21*31*time.Second; info.TTFT != want {
			t.Errorf("the first token came after %v, want %v", info.TTFT, want)
		}
	})
}

// TestCase26Held: the comments by which a held response shows its client that it lives are no
// sign of life of the provider: one that falls silent behind a call of ours is given up when
// its time is over, and the client reads an error, not an end.
func TestCase26Held(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
		silent := hang(stream(""), begun, ended)
		e, stop := newPipeEdge(t, script(stream(delta(calls(own), "tool_calls"), done), silent), withTools, func(c *proxy.Config) {
			c.IdleTimeout = time.Minute
		})
		defer stop()
		began := time.Now()
		a := e.post(askStream, "X-Agent-Id", "a")
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %v", took)
		}
		<-ended
		comments, code, _ := strings.Cut(a.body, `data: {"error"`)
		if beats := strings.Count(comments, ": trunkline\n"); a.err == nil || beats < 3 || len(comments) != beats*len(": trunkline\n") || !strings.Contains(code, `"code":"upstream_timeout"`) {
			t.Errorf("error %v, the client got %q", a.err, a.body)
		}
	})
}
