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

// SaveArchive writes an archive to a file that must not be there yet, and reads it back: when the name appears, what is
// on disk was verified.
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

// draft is a file that has not got its name yet. It is readable by its owner only.
type draft struct {
	*os.File

	// at is where this process finds it.
	at string
	// link gives it its name; fs.ErrExist when that is taken. end closes it, and takes away what is not needed of it.
	link func(path string) error
	end  func()
}

// newDraft makes the file that is to have a name later. Where the system can, it has none at all until then, so that a
// process that is killed leaves nothing behind. Elsewhere it lies beside the name, as .NAME- and digits.
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

// LoadArchive verifies an archive in a file. That something is wrong with it is an error here.
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
