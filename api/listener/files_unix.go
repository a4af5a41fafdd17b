//go:build unix

package listener

import "syscall"

// OpenFiles returns the limit of open files of the process, 0 when unknown. The Go runtime raises the soft limit to the
// hard one.
func OpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), 1<<30)) //nolint:unconvert // the type of Cur differs between systems
}
