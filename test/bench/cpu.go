package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cpu is the processor time of the parts of the product.
type cpu struct {
	App, Temporal, Postgres time.Duration
	// Workers is what of App processes have used that only work.
	Workers time.Duration
}

func (a cpu) sub(b cpu) cpu {
	return cpu{a.App - b.App, a.Temporal - b.Temporal, a.Postgres - b.Postgres, a.Workers - b.Workers}
}

func (a cpu) total() time.Duration { return a.App + a.Temporal + a.Postgres }

const tick = 10 * time.Millisecond

// usage is the time a process has used; with its ended children when children is set.
func usage(pid int, children bool) time.Duration {
	fields, _ := stat(pid)
	if fields == nil {
		return 0
	}
	last := 13
	if children {
		last = 15
	}
	var ticks int64
	for _, f := range fields[11:last] {
		n, _ := strconv.ParseInt(f, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * tick
}

// stat returns the fields of /proc/<pid>/stat after the name: state, parent, ...
func stat(pid int) (fields []string, name string) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil, ""
	}
	open, closing := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	return strings.Fields(string(data[closing+2:])), string(data[open+1 : closing])
}

func parent(pid int) int {
	fields, _ := stat(pid)
	if len(fields) < 2 {
		return 0
	}
	p, _ := strconv.Atoi(fields[1])
	return p
}

// processes finds the test stack among our ancestors and its PostgreSQL below it.
func processes() (temporal, postmaster int, err error) {
	for pid := os.Getpid(); pid > 1; pid = parent(pid) {
		if _, name := stat(pid); name == "devstack" {
			temporal = pid
		}
	}
	if temporal == 0 {
		return 0, 0, errors.New("not below the test stack: run it with bin/devstack exec -- go run ./bench")
	}
	for _, pid := range children(temporal) {
		if _, name := stat(pid); name == "postgres" {
			postmaster = pid
		}
	}
	return temporal, postmaster, nil
}

// postgresUsage sums the server and its children, those that have ended included.
func postgresUsage(postmaster int) time.Duration {
	total := usage(postmaster, true)
	for _, pid := range children(postmaster) {
		total += usage(pid, false)
	}
	return total
}

// children are the processes that a process has started and that run.
func children(of int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && parent(pid) == of {
			pids = append(pids, pid)
		}
	}
	return pids
}
