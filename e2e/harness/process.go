package harness

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const (
	startBound = 30 * time.Second // until it serves
	stopBound  = 60 * time.Second // from SIGTERM; more than any drain that a test asks for
)

// Process is a running server.
type Process struct {
	command  *exec.Cmd
	log      *log
	ended    chan struct{} // closed when the process has ended; err is set then
	err      error
	expected bool // that it has ended: by Stop or Kill
}

// start runs the command and waits for the line of its standard output for
// which serves returns true. It is an error if the process ends before. The
// process is stopped when the test ends.
func start(t testing.TB, command *exec.Cmd, serves func(line string) bool) (*Process, error) {
	t.Helper()
	name := filepath.Base(command.Path)
	p := &Process{command: command, log: &log{}, ended: make(chan struct{})}
	command.Stderr = p.log
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	serving := make(chan struct{})
	go p.live(stdout, serves, serving)

	bound := time.NewTimer(startBound)
	defer bound.Stop()
	select {
	case <-serving:
	case <-p.ended:
		return nil, fmt.Errorf("%s ended before it served: %w\n%s", name, p.err, p.Log())
	case <-bound.C:
		p.Kill()
		return nil, fmt.Errorf("%s does not serve after %s\n%s", name, startBound, p.Log())
	}
	t.Cleanup(func() {
		if !p.expected {
			p.Stop(t)
		}
		if t.Failed() {
			t.Logf("what %s wrote:\n%s", name, p.Log())
		}
	})
	return p, nil
}

// live owns the process from its start to its end.
func (p *Process) live(stdout io.Reader, serves func(line string) bool, serving chan<- struct{}) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		io.WriteString(p.log, line)
		if err != nil {
			break
		}
		if serves(line) {
			close(serving)
			break
		}
	}
	io.Copy(p.log, lines)
	p.err = p.command.Wait()
	close(p.ended)
}

// Stop sends SIGTERM and waits. The test fails if the exit code is not 0, or
// if the process had ended before.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	p.expected = true
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("stop: %v", err)
	}
	_ = p.command.Process.Signal(syscall.SIGCONT) // it cannot end while it is paused
	bound := time.NewTimer(stopBound)
	defer bound.Stop()
	select {
	case <-p.ended:
		if p.err != nil {
			t.Errorf("stop: %v", p.err)
		}
	case <-bound.C:
		p.Kill()
		t.Errorf("stop: still running %s after SIGTERM", stopBound)
	}
}

// Kill ends the process as a crash does, between any two of its instructions,
// and waits until it is gone.
func (p *Process) Kill() {
	p.expected = true
	p.command.Process.Kill()
	<-p.ended
}

// Log returns what the process has written so far, to both of its streams.
func (p *Process) Log() string { return p.log.String() }
