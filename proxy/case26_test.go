package proxy_test

import (
	"slices"
	"strings"
	"testing"
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
