package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// prefix begins every variable that is ours.
const prefix = "TRUNKLINE_"

// variable returns the name of the environment variable of a flag.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// forTests tells the variables that steer the project's tests, which may be
// set around a proxy that a test runs.
func forTests(name string) bool {
	return name == prefix+"FULL" || strings.HasPrefix(name, prefix+"TEST_")
}

// variables returns the environment without what is set to nothing.
func variables(environ []string) map[string]string {
	set := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); value != "" {
			set[name] = value
		}
	}
	return set
}

// checkNames refuses a variable of ours that belongs to no flag of any command:
// it is a misspelt setting, and whoever set it believes that it holds.
func (l *Layers) checkNames(app *kong.Application) error {
	known := map[string]bool{}
	for _, command := range app.Leaves(false) {
		for _, flag := range flagsOf(command) {
			known[variable(flag.Name)] = true
		}
	}
	var unknown []string
	for name := range l.environ {
		if strings.HasPrefix(name, prefix) && !known[name] && !forTests(name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return fmt.Errorf("unknown environment variable %s: no flag has that name", strings.Join(unknown, ", "))
	}
	return nil
}
