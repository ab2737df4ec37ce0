package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestExamplesCompose lets a compose client, of the second kind or the first, read the file
// that the examples name.
func TestExamplesCompose(t *testing.T) {
	client := []string{"docker", "compose"}
	if exec.Command("docker", "compose", "version").Run() != nil {
		client = []string{"docker-compose"}
		if _, err := exec.LookPath(client[0]); err != nil {
			t.Skip("neither docker compose nor docker-compose is installed here")
		}
	}
	command := exec.Command(client[0], append(client[1:], "-f", "../dashboards/compose.yaml", "config", "--quiet")...)
	command.Env = append(os.Environ(), "OPENAI_API_KEY=none")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%q: %v\n%s", client, err, out)
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
