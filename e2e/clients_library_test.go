package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"trunkline/proxy/sim"
)

// library is an application on a client library, running as a program that reads
// one turn a line and answers with one line.
type library struct {
	in  io.Writer
	out *bufio.Reader
}

// replyBound is how long a turn may take; it is a bound, not a measure.
const replyBound = 10 * time.Minute

func (l *library) ask(t *testing.T, turn turn) (text string, failure error) {
	t.Helper()
	line, err := json.Marshal(turn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("the client has ended: %v", err)
	}
	if line, err = l.out.ReadBytes('\n'); err != nil {
		t.Fatalf("the client has ended: %v", err)
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if r.Error != "" {
		return "", errors.New(r.Error)
	}
	return r.Text, nil
}

func (*library) look(at string) sim.Call {
	return call("look", fmt.Sprintf(`{ "at": %q}`, at))
}

func (*library) delegate(agent, task string) sim.Call {
	return call("delegate", fmt.Sprintf(`{"agent":%q, "task":%q}`, agent, task))
}

// startLibrary starts a program that ends when its input does.
func startLibrary(t *testing.T, dir, url string, env []string, name string, args ...string) *library {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*replyBound)
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	command.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
		"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=none",
	}, env...)
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
		defer cancel()
		in.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	return &library{in, bufio.NewReader(out)}
}

// nodeLibrary starts clients/node/main.mjs with the settings of the page.
func nodeLibrary(module, section string) func(*testing.T, string) driver {
	return func(t *testing.T, url string) driver {
		const dir = "clients/node"
		installed(t, filepath.Join(dir, "node_modules/.installed"))
		settings := filepath.Join(nodeHome(t), "settings.mjs")
		write(t, settings, setting(t, section, "settings.mjs", url))
		return startLibrary(t, dir, url, []string{"SETTINGS=" + settings}, "node", "main.mjs", module)
	}
}

// nodeHome returns a directory where a script finds the packages of clients/node.
func nodeHome(t *testing.T) string {
	t.Helper()
	packages, err := filepath.Abs("clients/node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.Symlink(packages, filepath.Join(home, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return home
}

// pythonLibrary starts clients/python/main.py with the settings of the page.
func pythonLibrary(module, section string) func(*testing.T, string) driver {
	return func(t *testing.T, url string) driver {
		const dir = "clients/python"
		installed(t, filepath.Join(dir, ".venv/.installed"))
		home := t.TempDir()
		write(t, filepath.Join(home, "settings.py"), setting(t, section, "settings.py", url))
		env := []string{"PYTHONPATH=" + home, "PYTHONDONTWRITEBYTECODE=1"}
		return startLibrary(t, dir, url, env, ".venv/bin/python", "main.py", module)
	}
}

// goLibrary builds and starts the program in clients/go, whose settings are files
// of its own: they must be what the page shows.
func goLibrary(library, section, file string) func(*testing.T, string) driver {
	return func(t *testing.T, url string) driver {
		have, err := os.ReadFile("clients/go/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if shown := setting(t, section, file, url); shown != string(have) {
			t.Errorf("%s shows in section %q what is not clients/go/%s:\n%s", clientsPage, section, file, shown)
		}
		program := filepath.Join(t.TempDir(), "client")
		if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./clients/go").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return startLibrary(t, ".", url, nil, program, library)
	}
}

// installed skips the test of a client that the stamp says is not on this machine.
func installed(t *testing.T, stamp string) {
	t.Helper()
	if _, err := os.Stat(stamp); err != nil {
		t.Skipf("%s is not installed here (%v)", t.Name(), err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
