package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Prometheus is a Prometheus server of the test's own.
type Prometheus struct {
	*Process
	URL string // http://127.0.0.1:PORT
}

// StartPrometheus starts prometheus with this configuration and an empty database. A
// machine without the program fails the test: there is nothing to take its place.
func StartPrometheus(t testing.TB, config string) *Prometheus {
	t.Helper()
	if _, err := exec.LookPath("prometheus"); err != nil {
		t.Fatal("prometheus is missing; `make deps` installs it, or says how")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	// It logs to standard error alone.
	server := exec.Command("sh", "-c", `exec prometheus "$@" 2>&1`, "prometheus",
		"--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address=127.0.0.1:0")
	p := new(Prometheus)
	var err error
	ready := false // its parts start side by side: it may be so before it says where
	p.Process, err = start(t, server, func(line string) bool {
		if strings.Contains(line, `msg="Listening on"`) {
			_, address, _ := strings.Cut(line, "address=")
			p.URL = "http://" + strings.TrimSpace(address)
		}
		ready = ready || strings.Contains(line, "ready to receive web requests")
		return ready && p.URL != ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
