package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFileBytes bounds a keyset file; one with a hundred rotated keys is smaller.
const maxFileBytes = 1 << 20

// Load reads a keyset from a file, or from source itself when that is JSON, as in an environment variable.
func Load(source string) (*Keyset, error) {
	if strings.HasPrefix(strings.TrimSpace(source), "{") {
		return Parse([]byte(source))
	}
	data, err := read(source)
	if err != nil {
		return nil, fmt.Errorf("load keyset: %w", err)
	}
	return Parse(data)
}

// EnsureFile reads the keyset at path, after making it with fresh keys when there is none, and reports whether it did.
// Of processes that start together one makes the file and all read the same. A file that others may read is refused.
func EnsureFile(path string) (*Keyset, bool, error) {
	k, err := loadPrivate(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, false, err
	}
	fresh, err := New()
	if err != nil {
		return nil, false, err
	}
	temporary, err := writeTemporary(path, fresh)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = os.Remove(temporary) }()
	// Unlike a rename, a link never replaces what another process has put there.
	switch err := os.Link(temporary, path); {
	case errors.Is(err, fs.ErrExist):
		k, err := loadPrivate(path)
		return k, false, err
	case err != nil:
		return nil, false, fmt.Errorf("make keyset file: %w", err)
	}
	if err := syncDirectory(path); err != nil {
		return nil, false, err
	}
	return fresh, true, nil
}

// RotateFile adds a new primary AEAD key to the keyset at path. Running processes keep sealing with the old one, and
// cannot open newer values, until they restart.
func RotateFile(path string) error {
	k, err := loadPrivate(path)
	if err != nil {
		return err
	}
	rotated, err := k.Rotate()
	if err != nil {
		return err
	}
	temporary, err := writeTemporary(path, rotated)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("replace keyset file: %w", err)
	}
	return syncDirectory(path)
}

func loadPrivate(path string) (*Keyset, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load keyset: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("load keyset: others may read %s (mode %04o); run chmod 600 on it", path, info.Mode().Perm())
	}
	return Load(path)
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s is too large for a keyset", path)
	}
	return os.ReadFile(path)
}

// writeTemporary writes the keyset to a file beside path, durable and readable by its owner only, and returns its path.
func writeTemporary(path string, k *Keyset) (string, error) {
	data, err := k.Marshal()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make keyset folder: %w", err)
	}
	// CreateTemp opens with mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), ".keyset-*")
	if err != nil {
		return "", fmt.Errorf("make keyset file: %w", err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(file.Name())
		return "", fmt.Errorf("write keyset file: %w", err)
	}
	return file.Name(), nil
}

// syncDirectory makes a new name in the folder of path durable (fsync).
func syncDirectory(path string) error {
	directory, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("sync keyset folder: %w", err)
	}
	defer func() { _ = directory.Close() }()
	if err := directory.Sync(); err != nil {
		return fmt.Errorf("sync keyset folder: %w", err)
	}
	return nil
}
