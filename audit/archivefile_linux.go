package audit

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// unnamed creates an unnamed file in a folder (O_TMPFILE); errors.ErrUnsupported where the file system or /proc lacks
// support.
func unnamed(folder string) (draft, error) {
	number, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EISDIR), errors.Is(err, unix.EINVAL):
		return draft{}, errors.ErrUnsupported
	case err != nil:
		return draft{}, &os.PathError{Op: "open", Path: folder, Err: err}
	}
	at := "/proc/self/fd/" + strconv.Itoa(number)
	file := os.NewFile(uintptr(number), at)
	if _, err := os.Stat(at); err != nil {
		_ = file.Close()
		return draft{}, errors.ErrUnsupported
	}
	link := func(path string) error {
		if err := unix.Linkat(unix.AT_FDCWD, at, unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW); err != nil {
			return &os.LinkError{Op: "link", Old: at, New: path, Err: err}
		}
		return nil
	}
	return draft{File: file, at: at, link: link, end: func() { _ = file.Close() }}, nil
}
