package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestPageInABrowser: the page shows the agents' tree, their requests and the last break,
// in a real browser, from nowhere but the proxy. Two tenants' agents of one id are told apart,
// and nothing that a client wrote becomes markup.
func TestPageInABrowser(t *testing.T) {
	if os.Getenv("TRUNKLINE_FULL") == "" {
		t.Skip("browsers run with TRUNKLINE_FULL=1 (make test-full)")
	}
	w, _ := watched(t)
	w.family(t, 1)
	w.stream = true
	sly := w.root("sly")
	sly.header = map[string]string{"X-Agent-Label": `<img src=x onerror="document.title='caught'">`}
	sly.say(t, "say hello")
	other := w.root("root-1")
	other.header = map[string]string{"Authorization": "Bearer another's"}
	other.say(t, "say hello")

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	browser := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=5000", "--dump-dom", w.proxy.URL+"/")
	dom, err := browser.Output()
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	page := string(dom)
	for _, want := range []string{"root-1", "└─ ", "kid-1", "provider: sim", ">fork<", "tools_changed", "tools +report", "&lt;img src=x", `title="tenant local"> local<`, `title="tenant c-`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"<title>caught", "<img"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q: a label became markup", never)
		}
	}
	if t.Failed() {
		t.Logf("%s", page)
	}
}

// TestPageShowsEveryAgent: however deep a tree is, the page leaves nobody out of it, and
// children follow their parents.
func TestPageShowsEveryAgent(t *testing.T) {
	page, err := os.ReadFile("../proxy/page.html")
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", "-e", `
		const [, script] = require("fs").readFileSync(0, "utf8").match(/<script>([^]*)<\/script>/);
		const nothing = {getElementById: () => ({addEventListener() {}})}, none = {getItem() {}};
		const drawn = new Function("document", "sessionStorage", script.replace("draw(); look();", "") + `+"`"+`
			agents = Array.from({length: 60}, (_, i) => ({tenant: "local", id: "a" + i, parent_id: i ? "a" + (i - 1) : undefined})).reverse();
			return tree().map(([a, depth]) => a.id + " " + depth).join(",")`+"`"+`)(nothing, none);
		const want = Array.from({length: 60}, (_, i) => "a" + i + " " + i).join(",");
		if (drawn !== want) { console.error(drawn); process.exit(1) }`)
	node.Stdin = bytes.NewReader(page)
	if out, err := node.CombinedOutput(); err != nil {
		t.Errorf("%v: the tree of 60 is drawn as\n%s", err, out)
	}
}
