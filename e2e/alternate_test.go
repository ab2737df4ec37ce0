package e2e

import (
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// TestMessageOutlivesItsBearer: where roles have to alternate, a message stands in the
// client's own item. When the client changes that before it has an answer, the message
// moves to what it sends instead.
func TestMessageOutlivesItsBearer(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{
			"root": {text("Noted."), calls(tell("kid", "look at b too")), text("Told.")},
			"kid":  {text("Done."), {Text: "This breaks off here.", Piece: 4, Break: &sim.Break{After: 3, How: sim.Reset}}, text("Looked.")},
		}, "--provider=vllm-alternating")
		root := w.root("root")
		root.say(t, "note this")
		kid := w.fork("kid", "root")
		kid.say(t, "look at a")
		root.say(t, "tell it")

		before := len(kid.items)
		kid.user("go on").try(t)
		kid.items = kid.items[:before]
		kid.say(t, "go on with care")

		last := w.model.last(t, "kid").items
		if all := strings.Join(last, "\n"); strings.Count(all, "look at b too") != 1 || !strings.Contains(last[len(last)-1], "go on with care") {
			t.Errorf("the child's model reads\n%s\nwant the message once, with the new prompt", all)
		}
	})
}
