package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecordedTrafficReplays: what the program records, it replays to the same bytes.
func TestRecordedTrafficReplays(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		dir := filepath.Join(t.TempDir(), "recordings")
		w.serve(lines{
			"root": {calls(call("pick", `{"z": "1"}`)), text("One."), calls(call("send_message", `{"agent_id":"kid","message":"hurry"}`)), text("Told.")},
			"kid":  {calls(call("pick", `{"z":"2"}`)), text("Two."), text("Quickly.")},
		}, "--record="+dir)
		root, kid := w.root("root"), w.fork("kid", "root")
		root.say(t, "pick one")
		first := kid.user("pick two").send(t)
		root.say(t, "tell it to hurry")
		kid.results(first).send(t)
		kid.say(t, "and then?")
		w.proxy.Stop(t)

		out, err := exec.Command(string(proxy), "replay", dir).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "no difference: all 7 requests") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
