//go:build unix

package typescript

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// limitMemory limits memory and forbids files and core dumps.
func limitMemory(limit uint64) error {
	for resource, most := range map[int]uint64{
		// RLIMIT_DATA counts written memory, not the runtime's reservations.
		syscall.RLIMIT_DATA: limit, syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_CORE: 0,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit the process: %w", err)
		}
	}
	return nil
}

// apart puts the child into a process group of its own, away from the terminal's signals: only the parent ends it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// yield lowers the priority of a child's process group, on Linux for all of its threads.
func yield(child int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, child, 10) }

// closeInherited closes files that the parent inherited and passes on. Systems without /proc are skipped.
func closeInherited() {
	const folder = "/proc/self/fd"
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(folder, e.Name()))
		descriptor, notNumber := strconv.Atoi(e.Name())
		// The Go runtime has event descriptors of its own.
		if err == nil && notNumber == nil && descriptor > 2 && !strings.HasPrefix(target, "anon_inode:") {
			_ = syscall.Close(descriptor)
		}
	}
}
