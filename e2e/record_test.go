package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trunkline/metrics"
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

// TestRecordedTenantsReplay: two tenants may have agents of one id. With keys of the proxy's
// own, too, a recording tells them apart, without a word of either.
func TestRecordedTenantsReplay(t *testing.T) {
	dir, keys := filepath.Join(t.TempDir(), "recordings"), filepath.Join(t.TempDir(), "keys.yaml")
	if err := os.WriteFile(keys, []byte("keys: [{key: key-of-a, tenant: tenant-of-a}, {key: key-of-b, tenant: tenant-of-b}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, stream: true}
	w.serve(lines{
		"root": {text("One."), text("Two."), text("So it says.")},
		"kid":  {calls(call("send_message", `{"agent_id":"root","message":"hello"}`)), text("Told.")},
	}, "--record="+dir, "--auth="+keys)
	as := func(who string, c *client) *client {
		c.header = map[string]string{"Authorization": "Bearer key-of-" + who}
		return c
	}
	root := as("a", w.root("root"))
	root.say(t, "one")
	as("a", w.fork("kid", "root")).say(t, "tell it")
	as("b", w.root("root")).say(t, "two") // reads nothing that was told to the other
	root.say(t, "what does it say?")
	w.proxy.Stop(t)

	out, err := exec.Command(string(proxy), "replay", dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no difference: all 5 requests") {
		t.Errorf("%v\n%s", err, out)
	}
	recorded := readFiles(t, dir)
	for _, secret := range []string{"key-of-", "tenant-of-"} {
		if strings.Contains(recorded, secret) {
			t.Errorf("the recording holds %q", secret)
		}
	}
}

// readFiles returns what the files of a directory hold.
func readFiles(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s holds %v: %v", dir, names, err)
	}
	var all strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

// TestADiskThatIsGone: what cannot be recorded is counted, and served all the same.
func TestADiskThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	w := &world{t: t, stream: true}
	w.serve(lines{"root": {text("One."), text("Two.")}}, "--record="+dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	root := w.root("root")
	for _, want := range []string{"One.", "Two."} {
		if got := root.user("go on").send(t).text; got != want {
			t.Errorf("the client reads %q, want %q", got, want)
		}
	}
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for bound := time.After(patience); ; {
		lost := scrape(t, w.proxy.URL).sum(metrics.RecordDroppedTotal, `reason="disk"`)
		if lost == 2 {
			return
		}
		select {
		case <-again.C:
		case <-bound:
			t.Fatalf("%v exchanges are counted as lost, want 2", lost)
		}
	}
}
