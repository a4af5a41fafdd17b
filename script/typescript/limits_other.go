//go:build !unix

package typescript

import "syscall"

// limitMemory leaves it to the soft limit of the Go runtime.
func limitMemory(uint64) error { return nil }

func apart() *syscall.SysProcAttr { return nil }

func closeInherited() {}

func yield(int) {}
