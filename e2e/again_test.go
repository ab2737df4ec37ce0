package e2e

import (
	"testing"

	"trunkline/proxy/sim"
)

// TestAskedAgainAtOnce: whoever has a whole answer and sends the same request at once asks
// for another one, also while the proxy still puts on record that the first has arrived.
func TestAskedAgainAtOnce(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		var said []sim.Answer
		for range 20 {
			said = append(said, text("Something."))
		}
		w.serve(lines{"root": said})
		root := w.root("root").user("say something")
		for i := range said {
			if a := root.try(t); !a.whole() || a.text != "Something." {
				t.Fatalf("request %d is answered %d: %s", i, a.status, a.raw)
			}
		}
		steps := w.model.received(t, "root")
		if len(steps) != len(said) {
			t.Errorf("%d requests went up, want %d", len(steps), len(said))
		}
		for i, step := range steps {
			if step.raw != steps[0].raw {
				t.Errorf("request %d went up in other bytes:\n%s\nwant\n%s", i, step.raw, steps[0].raw)
			}
		}
	})
}
