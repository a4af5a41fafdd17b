//go:build !linux

package child

import "syscall"

// Only Linux can tie a child to the life of its parent. Elsewhere the next start
// finds and stops what a killed run left behind.
func bindToParent(*syscall.SysProcAttr, syscall.Signal) {}
