package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
)

// nodeApp is the application in node/app.mjs, on the SDK openai from npm.
type nodeApp struct {
	in  io.Writer
	out *bufio.Reader
}

func startNodeApp(t *testing.T) app {
	t.Helper()
	if _, err := os.Stat("node/node_modules/openai"); err != nil {
		t.Fatal("the Node SDK is not installed: `make test` does it, or `npm ci` in e2e/node")
	}
	command := exec.Command("node", "app.mjs")
	command.Dir = "node"
	command.Env = []string{"PATH=" + os.Getenv("PATH")}
	command.Stderr = t.Output()
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("node: %v", err)
		}
	})
	return &nodeApp{in, bufio.NewReader(out)}
}

func (a *nodeApp) ask(t *testing.T, turn turn) (r reply) {
	t.Helper()
	line, err := json.Marshal(turn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("node: %v", err)
	}
	if line, err = a.out.ReadBytes('\n'); err != nil {
		t.Fatalf("node: %v", err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("node: %v in %s", err, line)
	}
	if r.Error != "" {
		t.Fatalf("node: %s", r.Error)
	}
	return r
}
