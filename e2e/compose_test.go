package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestComposeStartsTheProxy: the program takes the flags that the compose file gives it.
func TestComposeStartsTheProxy(t *testing.T) {
	data, err := os.ReadFile("../dashboards/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct{ Command []string }
	}
	if err := yaml.Unmarshal(data, &compose); err != nil {
		t.Fatal(err)
	}
	flags := compose.Services["proxy"].Command
	if len(flags) == 0 || flags[0] != "serve" {
		t.Fatalf("the proxy's command is %q", flags)
	}
	out, err := exec.Command(string(proxy), append(flags, "--print-config")...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "redis://redis:6379/0") {
		t.Errorf("%q: %v\n%s", flags, err, out)
	}
}
