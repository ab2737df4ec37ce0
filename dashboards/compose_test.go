package dashboards

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// compose is the part of a compose file that these tests read.
type compose struct {
	Services map[string]struct {
		Image   string
		Build   string
		Command []string
		Volumes []string
		Ports   []string
	}
	Volumes map[string]any
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestComposeMountsWhatIsThere(t *testing.T) {
	var c compose
	readYAML(t, "compose.yaml", &c)
	for _, name := range []string{"redis", "proxy", "prometheus", "grafana"} {
		s, ok := c.Services[name]
		if !ok || s.Image == "" && s.Build == "" {
			t.Errorf("there is no service %s", name)
		}
		if _, err := os.Stat(path.Join(s.Build, "Dockerfile")); s.Build != "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if !strings.HasPrefix(from, ".") {
				if _, ok := c.Volumes[from]; !ok {
					t.Errorf("%s: the volume %s is not declared", name, from)
				}
			} else if _, err := os.Stat(from); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s: the port %s is open to other machines", name, p)
			}
		}
	}
	for file := range Files() {
		if path.Ext(file) != ".md" && !slices.ContainsFunc(slices.Concat(c.Services["prometheus"].Volumes, c.Services["grafana"].Volumes), func(v string) bool { return strings.HasPrefix(v, "./"+file+":") }) {
			t.Errorf("no service gets %s", file)
		}
	}
}

// TestProvisioningFits: what one file says of another one is so.
func TestProvisioningFits(t *testing.T) {
	var c compose
	readYAML(t, "compose.yaml", &c)
	var prometheus struct {
		RuleFiles []string `yaml:"rule_files"`
	}
	readYAML(t, "provisioning/prometheus.yml", &prometheus)
	for _, file := range prometheus.RuleFiles {
		mounted(t, c.Services["prometheus"].Volumes, file)
	}
	var boards struct {
		Providers []struct{ Options struct{ Path string } }
	}
	readYAML(t, "provisioning/dashboards/trunkline.yml", &boards)
	for _, b := range Boards() {
		mounted(t, c.Services["grafana"].Volumes, path.Join(boards.Providers[0].Options.Path, b.UID+".json"))
	}
	var sources struct {
		Datasources []struct{ Type, URL string }
	}
	readYAML(t, "provisioning/datasources/prometheus.yml", &sources)
	if s := sources.Datasources; len(s) != 1 || s[0].Type != "prometheus" || s[0].URL != "http://prometheus:9090" {
		t.Errorf("the data sources are %+v", s)
	}
}

func mounted(t *testing.T, volumes []string, file string) {
	t.Helper()
	if !slices.ContainsFunc(volumes, func(v string) bool { return strings.Contains(v, ":"+file+":") }) {
		t.Errorf("nothing is mounted at %s", file)
	}
}
