package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

var opencode = programSpec{
	binary: "opencode",
	configure: func(t *testing.T, url, home string, headers map[string]string) {
		file := filepath.Join(home, ".config/opencode/opencode.json")
		writeJSON(t, file, setting(t, "opencode", "opencode.json", url), headers, "provider", "trunkline", "options")
	},
	env: []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
	first: func(_ string, child bool) []string {
		if child { // with a title, none is asked for
			return []string{"run", "--format=json", "--title=child"}
		}
		return []string{"run", "--format=json"}
	},
	later: func(string) []string {
		return []string{"run", "--format=json", "--continue"}
	},
	answer: func(_, out string) (text string, err error) {
		for line := range strings.Lines(out) {
			var event struct {
				Type  string
				Part  struct{ Text string }
				Error json.RawMessage
			}
			if err := json.Unmarshal([]byte(line), &event); err != nil {
				return "", fmt.Errorf("%w in %s", err, line)
			}
			switch event.Type {
			case "text":
				text = event.Part.Text
			case "error":
				return "", errors.New(string(event.Error))
			}
		}
		return text, nil
	},
	shell: func(command string) sim.Call {
		return call("bash", fmt.Sprintf(`{"command":%q, "description":"Runs it"}`, command))
	},
}

var pi = programSpec{
	binary: "pi",
	configure: func(t *testing.T, url, home string, headers map[string]string) {
		file := filepath.Join(home, ".pi/agent/models.json")
		writeJSON(t, file, setting(t, "pi", "models.json", url), headers, "providers", "trunkline")
	},
	env: []string{"PI_OFFLINE=1"},
	first: func(string, bool) []string {
		return []string{"--provider", "trunkline", "--model", "your-model", "--print"}
	},
	later: func(string) []string {
		return []string{"--provider", "trunkline", "--model", "your-model", "--continue", "--print"}
	},
	shell: func(command string) sim.Call { return call("bash", fmt.Sprintf(`{ "command":%q}`, command)) },
}

var codex = programSpec{
	binary: "codex",
	configure: func(t *testing.T, url, home string, headers map[string]string) {
		var list []string
		for name, value := range headers {
			list = append(list, fmt.Sprintf("%q = %q", name, value))
		}
		shown := setting(t, "codex", "config.toml", url)
		file := filepath.Join(home, ".codex/config.toml")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, file, regexp.MustCompile(`(?m)^http_headers = .*$`).ReplaceAllLiteralString(shown, "http_headers = { "+strings.Join(list, ", ")+" }"))
	},
	first: func(home string, _ bool) []string {
		return []string{"exec", "--skip-git-repo-check", "--sandbox=danger-full-access", "-o", filepath.Join(home, "last")}
	},
	later: func(home string) []string {
		return []string{"exec", "--sandbox=danger-full-access", "-o", filepath.Join(home, "last"), "resume", "--skip-git-repo-check", "--last"}
	},
	answer: func(home, _ string) (string, error) {
		text, err := os.ReadFile(filepath.Join(home, "last"))
		return string(text), err
	},
	shell: func(command string) sim.Call { return call("exec_command", fmt.Sprintf(`{"cmd":%q}`, command)) },
}

// writeJSON writes settings that the page shows, with these headers in place of
// the page's in the object at path.
func writeJSON(t *testing.T, file, shown string, headers map[string]string, path ...string) {
	t.Helper()
	var settings map[string]any
	if err := json.Unmarshal([]byte(shown), &settings); err != nil {
		t.Fatalf("%v in %s", err, shown)
	}
	object := settings
	for _, name := range path {
		object = object[name].(map[string]any)
	}
	object["headers"] = headers
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, file, string(text))
}
