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

// limitMemory takes from the process what it has no use for: memory beyond a limit, files and core dumps.
func limitMemory(limit uint64) error {
	for resource, most := range map[int]uint64{
		// What is written to counts, not what the runtime reserves.
		syscall.RLIMIT_DATA: limit, syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_CORE: 0,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit the process: %w", err)
		}
	}
	return nil
}

// apart keeps the signals of a terminal from the child, whose end its parent decides.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// yield lets all others of the machine go before a child, which has a group of its own: on Linux the priority of a group is that of
// all of its threads.
func yield(child int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, child, 10) }

// closeInherited closes the files that the parent itself was started with and passes on. Where there is no /proc, there
// is nothing to see.
func closeInherited() {
	const folder = "/proc/self/fd"
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(folder, e.Name()))
		descriptor, notNumber := strconv.Atoi(e.Name())
		// The runtime of Go has event descriptors of its own.
		if err == nil && notNumber == nil && descriptor > 2 && !strings.HasPrefix(target, "anon_inode:") {
			_ = syscall.Close(descriptor)
		}
	}
}
