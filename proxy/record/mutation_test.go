package record_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAChangeIsFound builds the program with one small change, and replays our recordings
// with it: the replay fails, and says what changed and where. The full run tries each change;
// all of them are seen from the other side in TestADifferenceIsTold.
func TestAChangeIsFound(t *testing.T) {
	changes := []struct {
		name, file, was, now string
		says                 []string
	}{
		{"message framing", "tools/text.go", " sent a message:\\n", " sent a message: \\n",
			[]string{"history", "messages[", "].content", `t a message:\n`, `t a message: \n`}},
		{"guidance text", "tools/text.go", "You work as a subagent", "You work as a Subagent",
			[]string{"history", "messages[", "].content", "work as a subage", "work as a Subage"}},
		{"insertion place", "proxy/compose.go", "prefix.Place(cut, entries, p.prompts())", "prefix.Place(cut, entries, !p.prompts())",
			[]string{"history", "messages["}},
		{"tool order", "tools/definitions.go", "{SendMessage, `", "{InterruptAgent, `",
			[]string{"tools", "tools[", "(interrupt_agent)", "send_message"}},
	}
	if os.Getenv("TRUNKLINE_FULL") == "" {
		changes = changes[:1]
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			original := filepath.Join("../..", c.file)
			source, err := os.ReadFile(original)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(source), c.was, c.now, 1)
			if c.name == "tool order" {
				changed = swapLines(string(source), "\t"+c.was, "\t"+c.now)
			}
			if changed == string(source) {
				t.Fatalf("%s holds no %q to change", c.file, c.was)
			}
			report, code := replayWith(t, original, changed)
			if code != 1 {
				t.Fatalf("exit code %d, want 1:\n%s", code, report)
			}
			for _, want := range append(c.says, "differences, the first:", "its body has other bytes than the recorded one", "recorded  …", "now       …", "offset    ") {
				if !strings.Contains(report, want) {
					t.Errorf("the report does not say %q", want)
				}
			}
			if t.Failed() {
				t.Log(report)
			}
		})
	}
}

// swapLines has two lines, each known by its beginning, change places.
func swapLines(s, one, other string) string {
	lines := strings.SplitAfter(s, "\n")
	at := [2]int{-1, -1}
	for i, line := range lines {
		if strings.HasPrefix(line, one) {
			at[0] = i
		} else if strings.HasPrefix(line, other) {
			at[1] = i
		}
	}
	if at[0] < 0 || at[1] < 0 {
		return s
	}
	lines[at[0]], lines[at[1]] = lines[at[1]], lines[at[0]]
	return strings.Join(lines, "")
}

// replayWith replays our recordings with a program in which one file has other contents.
func replayWith(t *testing.T, file, contents string) (report string, code int) {
	t.Helper()
	dir := t.TempDir()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(dir, filepath.Base(file))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, changed, contents)
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := filepath.Join(dir, "proxy")
	build := exec.Command("go", "build", "-buildvcs=false", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "trunkline/cmd/proxy")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	out, err := exec.Command(program, "replay", "testdata/recordings").CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

func write(t *testing.T, file, contents string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
}
