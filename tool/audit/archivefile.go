package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"countersign/problem"
)

// SaveArchive writes an archive to a file that must not be there yet, and reads it back: when the name appears, what is on disk was verified.
func (c *Chain) SaveArchive(ctx context.Context, a Archive, path string) (Archive, error) {
	if _, err := os.Lstat(path); err == nil {
		return a, problem.Errorf(problem.Conflict, "The file %s is there already. Choose another name, or verify it with --file.", path)
	}
	// It is made readable by its owner only.
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return a, fmt.Errorf("make audit archive: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	buffer := bufio.NewWriterSize(file, 1<<20)
	err = c.WriteArchive(ctx, a, buffer)
	if err = errors.Join(err, buffer.Flush(), file.Sync(), file.Close()); err != nil {
		return a, err
	}
	saved, err := c.LoadArchive(file.Name())
	if err != nil {
		return a, err
	}
	// Unlike a rename, a link never replaces what somebody has put there meanwhile.
	if err := os.Link(file.Name(), path); errors.Is(err, fs.ErrExist) {
		return a, problem.Errorf(problem.Conflict, "The file %s is there already. Choose another name, or verify it with --file.", path)
	} else if err != nil {
		return a, fmt.Errorf("make audit archive: %w", err)
	}
	return saved, syncFolder(path)
}

// LoadArchive verifies an archive in a file. That something is wrong with it is an error here.
func (c *Chain) LoadArchive(path string) (Archive, error) {
	file, err := os.Open(path) //nolint:gosec // somebody with a shell names it
	if err != nil {
		return Archive{}, fmt.Errorf("open audit archive: %w", err)
	}
	defer func() { _ = file.Close() }()
	a, b, err := c.ReadArchive(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return a, err
	}
	if b != nil {
		return a, problem.Errorf(problem.Invalid, "The archive %s is broken %s", path, b)
	}
	return a, nil
}

// syncFolder makes a new name survive a power cut.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("sync folder of audit archive: %w", err)
	}
	defer func() { _ = folder.Close() }()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("sync folder of audit archive: %w", err)
	}
	return nil
}
