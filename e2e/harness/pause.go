package harness

import (
	"syscall"
	"testing"
)

// Pause stops the process where it is, without closing its connections: it accepts, but
// does nothing. Resume ends that.
func (p *Process) Pause(t testing.TB)  { p.signal(t, syscall.SIGSTOP) }
func (p *Process) Resume(t testing.TB) { p.signal(t, syscall.SIGCONT) }

func (p *Process) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		t.Errorf("%v: %v", s, err)
	}
}
