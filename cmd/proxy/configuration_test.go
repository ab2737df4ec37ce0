package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"trunkline/cmd/proxy/internal/settings"
)

//go:generate go test -run ConfigurationPage -update .

var update = flag.Bool("update", false, "write the tables of docs/configuration.md")

// TestConfigurationPage holds the page's tables of flags against the flags
// themselves: `go generate ./cmd/proxy` writes them anew.
func TestConfigurationPage(t *testing.T) {
	const page, begin, end = "../../docs/configuration.md", "<!-- flags: generated -->\n", "<!-- end of flags -->\n"
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the flags", page)
	}
	text := before + begin + flagTables(t) + end + after
	switch {
	case text == string(old):
	case *update:
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs from the flags of serve; go generate ./cmd/proxy writes it anew", page)
	}
}

// flagTables is one table for each group of serve's flags.
func flagTables(t *testing.T) string {
	t.Helper()
	parser, err := kong.New(new(serveCommand), settings.New(nil),
		kong.Vars{"store": "file:$XDG_STATE_HOME/trunkline/agents.db"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	group := ""
	for _, f := range parser.Model.Flags {
		if f.Group == nil { // help
			continue
		}
		if f.Group.Title != group {
			group = f.Group.Title
			fmt.Fprintf(&out, "\n### %s\n\n| flag | default | meaning |\n|---|---|---|\n", group)
		}
		value := "–"
		if f.HasDefault {
			value = "`" + f.Default + "`"
		} else if f.IsBool() {
			value = "off"
		}
		if f.IsBool() && f.Default == "true" {
			value = "on"
		}
		fmt.Fprintf(&out, "| `--%s` | %s | %s |\n", f.Name, value, strings.ReplaceAll(f.Help, "|", `\|`))
	}
	return out.String() + "\n"
}
