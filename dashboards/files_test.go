package dashboards

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files in place of comparing them")

func TestGenerated(t *testing.T) {
	files := Files()
	if *update {
		for name, data := range files {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range files {
		have, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		} else if string(have) != string(want) {
			t.Errorf("%s differs from what is generated; run go generate ./dashboards", name)
		}
	}
	boards, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range boards {
		if files[name] == nil {
			t.Errorf("%s is not generated (any more); generated are %q", name, slices.Sorted(maps.Keys(files)))
		}
	}
}
