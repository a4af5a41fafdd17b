//go:build !linux

package child

import "syscall"

// Only Linux can bind a child's life to its parent's. Elsewhere the next start finds and stops the processes of a
// killed run.
func bindToParent(*syscall.SysProcAttr, syscall.Signal) {}
