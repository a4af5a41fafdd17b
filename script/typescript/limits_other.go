//go:build !unix

package typescript

import "syscall"

// limitMemory does nothing here: the soft limit of the Go runtime applies.
func limitMemory(uint64) error { return nil }

func apart() *syscall.SysProcAttr { return nil }

func closeInherited() {}

func yield(int) {}
