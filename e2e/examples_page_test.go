package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestExamplesCompose lets the compose client read the file that the examples name.
func TestExamplesCompose(t *testing.T) {
	if err := exec.Command("docker", "compose", "version").Run(); err != nil {
		t.Skipf("docker compose is not installed here (%v)", err)
	}
	command := exec.Command("docker", "compose", "-f", "../dashboards/compose.yaml", "config", "--quiet")
	command.Env = append(os.Environ(), "OPENAI_API_KEY=none")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestExamplesPage: every file that the examples' page links to is there.
func TestExamplesPage(t *testing.T) {
	page, err := os.ReadFile("../examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllSubmatch(page, -1)
	if len(links) == 0 {
		t.Fatal("no links")
	}
	for _, link := range links {
		if _, err := os.Stat(filepath.Join("../examples", string(link[1]))); err != nil {
			t.Error(err)
		}
	}
}
