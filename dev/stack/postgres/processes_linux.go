package postgres

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// processesOf lists the live processes of the server on the cluster in dir. All
// of them, and nothing else in practice, have the cluster as working folder.
func processesOf(dir string, _ int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		home := filepath.Join("/proc", entry.Name())
		if cwd, err := os.Readlink(filepath.Join(home, "cwd")); err != nil || cwd != dir {
			continue
		}
		// A shell that happens to stand in the folder is not the server.
		name, err := os.ReadFile(filepath.Join(home, "comm"))
		if err == nil && bytes.HasPrefix(name, []byte("postgres")) {
			pids = append(pids, pid)
		}
	}
	return pids
}
