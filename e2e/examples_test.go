package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/proxy/sim"
)

// TestExamples runs the lead with two reviewers in each language, as its page says.
// The lead's last answer tells what it was sent.
func TestExamples(t *testing.T) {
	for language, command := range map[string]func(t *testing.T) *exec.Cmd{
		"python": func(t *testing.T) *exec.Cmd {
			installed(t, "clients/python/.venv/.installed")
			return exec.Command("clients/python/.venv/bin/python", "../examples/python/reviewers.py")
		},
		"node": func(t *testing.T) *exec.Cmd {
			installed(t, "clients/node/node_modules/.installed")
			script, err := os.ReadFile("../examples/node/reviewers.mjs")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(nodeHome(t), "reviewers.mjs")
			write(t, file, string(script))
			return exec.Command("node", file)
		},
		"go": func(t *testing.T) *exec.Cmd {
			program := filepath.Join(t.TempDir(), "reviewers")
			if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../examples/go").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return exec.Command(program)
		},
	} {
		t.Run(language, func(t *testing.T) {
			run := command(t)
			model := serveModel(t, sim.Config{Script: reviewing})
			p := proxy.Serve(t, harness.Serve{Upstream: model.url, Args: []string{"--provider=sim"}})
			run.Env = []string{
				"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
				"OPENAI_BASE_URL=" + p.URL + "/v1", "OPENAI_API_KEY=none",
			}
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{
				`security-\w+: \d+ prompt tokens, [1-9]\d+ of them cached`,
				`readability-\w+: \d+ prompt tokens, [1-9]\d+ of them cached`,
				`Agent security-\w+ sent a message:\nThe change is bad for security\.`,
				`Agent readability-\w+ sent a message:\nThe change is bad for readability\.`,
			} {
				if !regexp.MustCompile(want).Match(out) {
					t.Errorf("it does not write %q:\n%s", want, out)
				}
			}
		})
	}
}

// reviewing is the model in the examples: a reviewer sends its finding to the agent
// that its task names, and the lead tells every message that it has been sent.
func reviewing(r sim.Request) sim.Answer {
	last := r.Items[len(r.Items)-1]
	if last.Role == "tool" {
		return text("Reviewed.")
	}
	if strings.HasPrefix(last.Text, "What did the reviewers find?") {
		var found []string
		for _, item := range r.Items {
			if item.Role == "user" && strings.HasPrefix(item.Text, "Agent ") {
				found = append(found, item.Text)
			}
		}
		return text(strings.Join(found, "\n"))
	}
	task := regexp.MustCompile(`(?s)^Review the change for (\w+)\..*agent_id ("[^"]+")`).FindStringSubmatch(last.Text)
	if task == nil {
		return text("I have read it.")
	}
	var lead string
	if err := json.Unmarshal([]byte(task[2]), &lead); err != nil {
		return text(err.Error())
	}
	return calls(tell(lead, "The change is bad for "+task[1]+"."))
}
