package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"trunkline/e2e/harness"
)

// TestWalkthrough runs the walk-through with curl, and looks for what it promises.
func TestWalkthrough(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed here")
	}
	engine := proxy.Start(t, nil, "sim")
	p := proxy.Serve(t, harness.Serve{Upstream: engine.URL + "/v1", Args: []string{"--provider=sim"}})
	command := exec.Command("../examples/curl/walkthrough.sh")
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "BASE=" + p.URL, "RUN=1"}
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`"content":"hello"`,
		`"content":"reviewed"`,
		`"content":"thanks"`,
		`Agent reviewer-1 sent a message:\nline 3 logs a token`,
		`Agent reviewer-1 settled: completed.\nreviewed`,
		`trunkline_prompt_tokens_total{cache="read"`,
		"\n204\n",
	} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("it does not show %s:\n%s", want, out)
		}
	}
}
