package metrics

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write README.md in place of comparing it")

func TestReadme(t *testing.T) {
	const file = "README.md"
	if *update {
		if err := os.WriteFile(file, []byte(Readme()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != Readme() {
		t.Errorf("%s differs from the table; run go generate ./metrics", file)
	}
}
