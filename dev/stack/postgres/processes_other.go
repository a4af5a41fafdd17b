//go:build !linux

package postgres

import (
	"os/exec"
	"strconv"
	"strings"
)

// processesOf returns the process in the lock file if it is still the server on the cluster in dir: its command line
// names the folder.
func processesOf(dir string, postmaster int) []int {
	if postmaster == 0 {
		return nil
	}
	out, err := exec.Command("ps", "-ww", "-o", "stat=,command=", "-p", strconv.Itoa(postmaster)).Output()
	line := strings.TrimSpace(string(out))
	if err != nil || strings.HasPrefix(line, "Z") || !strings.Contains(line, dir) {
		return nil
	}
	return []int{postmaster}
}
