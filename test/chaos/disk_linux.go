package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// diskSize fits PostgreSQL's files, the write-ahead log of a run, and an idle Temporal.
const diskSize = "size=3g,mode=0755"

// disk is a small disk of its own for a folder.
type disk struct{ path string }

// newDisk mounts a disk, for which it needs the privilege.
func newDisk(path string) (*disk, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, diskSize); err != nil {
		return nil, fmt.Errorf("mount: %w", err)
	}
	return &disk{path}, nil
}

func (d *disk) filler() string { return filepath.Join(d.path, "filler") }

// fill fills the disk.
func (d *disk) fill() error {
	f, err := os.Create(d.filler())
	if err != nil {
		return fmt.Errorf("fill the disk: %w", err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 16 {
		for block := make([]byte, size); err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("fill the disk: %w", err)
		}
		err = nil
	}
	return nil
}

func (d *disk) empty() error { return os.Remove(d.filler()) }

func (d *disk) close() { _ = syscall.Unmount(d.path, syscall.MNT_DETACH) }
