package redistest

import "syscall"

// endWithParent has the kernel kill a server whose test process was killed.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
