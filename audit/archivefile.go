package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"countersign/internal/problem"
)

// SaveArchive writes an archive to a new file and verifies what it wrote before the file gets its name.
func (c *Chain) SaveArchive(ctx context.Context, a Archive, path string) (Archive, error) {
	if _, err := os.Lstat(path); err == nil {
		return a, problem.Errorf(problem.Conflict, "The file %s is there already. Choose another name, or verify it with --file.", path)
	}
	file, err := newDraft(path)
	if err != nil {
		return a, fmt.Errorf("make audit archive: %w", err)
	}
	defer file.end()
	buffer := bufio.NewWriterSize(file, 1<<20)
	err = c.WriteArchive(ctx, a, buffer)
	if err = errors.Join(err, buffer.Flush(), file.Sync()); err != nil {
		return a, err
	}
	saved, err := c.LoadArchive(file.at)
	if err != nil {
		return a, err
	}
	// Unlike a rename, a link never replaces a file created meanwhile.
	if err := file.link(path); errors.Is(err, fs.ErrExist) {
		return a, problem.Errorf(problem.Conflict, "The file %s is there already. Choose another name, or verify it with --file.", path)
	} else if err != nil {
		return a, fmt.Errorf("make audit archive: %w", err)
	}
	return saved, syncFolder(path)
}

// draft is a file without its final name, readable by its owner only.
type draft struct {
	*os.File

	// at is the path under which this process opens the file.
	at string
	// link gives the file its name, or returns fs.ErrExist when the name is taken. end closes the file and removes a
	// temporary name.
	link func(path string) error
	end  func()
}

// newDraft creates a file that gets its name later. Where the system supports it the file is unnamed until then, so a
// killed process leaves nothing behind. Elsewhere it is .NAME- and digits in the same folder.
func newDraft(path string) (draft, error) {
	d, err := unnamed(filepath.Dir(path))
	if !errors.Is(err, errors.ErrUnsupported) {
		return d, err
	}
	return hidden(path)
}

func hidden(path string) (draft, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return draft{}, err
	}
	end := func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	return draft{File: file, at: file.Name(), link: func(path string) error { return os.Link(file.Name(), path) }, end: end}, nil
}

// LoadArchive verifies an archive file. A defect of the archive is an error here.
func (c *Chain) LoadArchive(path string) (Archive, error) {
	file, err := os.Open(path)
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

// syncFolder makes a new name durable (fsync of the folder).
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
