package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Binary is the path of the program, built for these tests.
type Binary string

// Main builds the program, runs the package's tests with it in *binary, and
// returns the exit code for TestMain.
func Main(m *testing.M, binary *Binary) int {
	dir, err := os.MkdirTemp("", "trunkline-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "harness:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	if *binary, err = Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, "harness:", err)
		return 1
	}
	return m.Run()
}

// Build builds the program into dir.
func Build(dir string) (Binary, error) {
	path := filepath.Join(dir, "proxy")
	// Without the revision: reading it fails where the checkout is another user's.
	args := []string{"build", "-buildvcs=false", "-o", path}
	if raceEnabled {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, "trunkline/cmd/proxy")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return Binary(path), nil
}
