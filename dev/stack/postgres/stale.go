package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Settle cleans up after a killed run of the cluster of a data folder: a server that still runs or is just shutting
// down, orphaned processes, and a lock file whose process id now belongs to another process. The caller holds the lock
// of the data folder, so nothing else uses the cluster.
func Settle(ctx context.Context, data string, progress func(string, ...any)) error {
	for _, dir := range []string{filepath.Join(data, clusterFolder), remoteFolder(data)} {
		resolved, err := filepath.EvalSymlinks(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = settle(ctx, resolved, progress)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func settle(ctx context.Context, dir string, progress func(string, ...any)) error {
	lockFile := filepath.Join(dir, "postmaster.pid")
	postmaster := readPostmaster(lockFile)
	if len(processesOf(dir, postmaster)) > 0 {
		progress("stopping the PostgreSQL server of an earlier run")
		// SIGINT is fast, SIGQUIT immediate, SIGKILL the last resort.
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
			remaining := processesOf(dir, postmaster)
			if slices.Contains(remaining, postmaster) {
				remaining = []int{postmaster}
			}
			for _, pid := range remaining {
				_ = syscall.Kill(pid, sig)
			}
			if err := awaitNone(ctx, dir, postmaster); err == nil {
				break
			} else if ctx.Err() != nil {
				return err
			}
		}
		if remaining := processesOf(dir, postmaster); len(remaining) > 0 {
			return fmt.Errorf("the PostgreSQL server of an earlier run (process %d) does not stop: end it and start again", remaining[0])
		}
	}
	if err := os.Remove(lockFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the lock file of an earlier run: %w", err)
	}
	return nil
}

// awaitNone waits until no process of the cluster is left.
func awaitNone(ctx context.Context, dir string, postmaster int) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for len(processesOf(dir, postmaster)) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-poll.C:
		}
	}
	return nil
}

// readPostmaster reads the server's process id from its lock file, 0 when there
// is none.
func readPostmaster(lockFile string) int {
	text, err := os.ReadFile(lockFile)
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		return 0
	}
	return pid
}
