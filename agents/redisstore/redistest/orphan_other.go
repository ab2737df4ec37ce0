//go:build !linux

package redistest

import "syscall"

// endWithParent can do nothing here: Cleanup ends the servers of a test that was not
// killed.
func endWithParent() *syscall.SysProcAttr { return nil }
